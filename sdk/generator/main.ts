/** `npm run sdk:generate`: writes the generated files of both SDKs. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generatedFiles } from './files';

for (const [folder, files] of Object.entries(generatedFiles())) {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    if (!(name in files)) rmSync(path.join(folder, name), { recursive: true });
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
}
