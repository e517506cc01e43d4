import path from 'node:path';
import { sdkModel } from './model';
import { pythonFiles } from './python';
import { typescriptFiles } from './typescript';

const sdk = path.join(__dirname, '..');

/** The contents of the generated files, by folder and name. */
export function generatedFiles(): Record<string, Record<string, string>> {
  const model = sdkModel();
  return {
    [path.join(sdk, 'typescript', 'src', 'generated')]: typescriptFiles(model),
    [path.join(sdk, 'python', 'src', 'herald_sdk', '_generated')]: pythonFiles(model),
  };
}
