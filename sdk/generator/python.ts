import type { SdkModel } from './model';
import { apiFile, asynchronous, sync } from './python-api';
import { typesFile } from './python-types';

/** The generated files of sdk/python/src/herald_sdk/_generated, by name. */
export function pythonFiles(model: SdkModel): Record<string, string> {
  return {
    '__init__.py': '',
    'types.py': typesFile(model),
    'api.py': apiFile(model, sync),
    'async_api.py': apiFile(model, asynchronous),
  };
}
