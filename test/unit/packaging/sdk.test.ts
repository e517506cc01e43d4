import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { generatedFiles } from '../../../sdk/generator/files';
import { routeSpecs } from '../../../sdk/generator/routes';
import { openApiDocument } from '../../../src/site/openapi';
import { routeKey, sdkNames } from '../../../src/site/openapi/sdk-names';

const sdk = path.join(__dirname, '..', '..', '..', 'sdk');
const read = (file: string) => readFileSync(path.join(sdk, file), 'utf8');
const specs = routeSpecs();

/** The operations of OpenAPI, by method and path. */
const operations = documented();

function documented(): string[] {
  const { paths } = openApiDocument(
    specs.map((spec) => ({ spec })),
    'http://localhost',
  ) as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([route, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${route}`),
  );
}

test('what is committed is what `npm run sdk:generate` writes', () => {
  for (const [folder, files] of Object.entries(generatedFiles())) {
    expect(readdirSync(folder).filter((name) => name !== '__pycache__')).toEqual(Object.keys(files).sort());
    for (const [name, text] of Object.entries(files)) {
      // Not compared by expect, which would print thousands of lines.
      const isCurrent = readFileSync(path.join(folder, name), 'utf8') === text;
      expect({ name, isCurrent }).toEqual({ name, isCurrent: true });
    }
  }
});

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const languages = {
  'typescript/src/generated/api.ts': (name: string) => `  ${name}(`,
  'python/src/herald_sdk/_generated/api.py': (name: string) => `    def ${snakeCase(name)}(`,
  'python/src/herald_sdk/_generated/async_api.py': (name: string) => `    async def ${snakeCase(name)}(`,
};

test.each(Object.entries(languages))('%s has a method for every operation of OpenAPI', (file, definition) => {
  const text = read(file);
  const names = sdkNames(specs);
  const missing = operations.filter((operation) => {
    const { group, name } = names.get(operation) as { group: string; name: string };
    const [, members = ''] = text.split(
      new RegExp(`^(?:export )?class (?:Async)?${group[0]?.toUpperCase()}${group.slice(1)}Api\\b`, 'm'),
    );
    const own = members.split(/^(?:export )?class /m)[0] ?? '';
    return !own.includes(definition(name)) || !own.includes(`\`${operation}\``);
  });
  expect(missing).toEqual([]);
  expect([...operations].sort()).toEqual(specs.map(routeKey).sort());
});

test('a body with fields of any name can be given in both languages', () => {
  const [, body] =
    /^export type FormsSubmitBody = \{\n(.*?)^\};/ms.exec(read('typescript/src/generated/types.ts')) ?? [];
  expect(body).toContain('[field: string]: unknown;');
  expect(read('python/src/herald_sdk/_generated/types.py')).toMatch(/^FormsSubmitBody = Dict\[str, Any\]$/m);
});

test('the package for TypeScript depends on nothing, and both have the same name and version', () => {
  const manifest = JSON.parse(read('typescript/package.json')) as Record<string, unknown>;
  expect(manifest).not.toHaveProperty('dependencies');
  const [, name] = /^name = "(.+)"$/m.exec(read('python/pyproject.toml')) ?? [];
  const [, version] = /^version = "(.+)"$/m.exec(read('python/pyproject.toml')) ?? [];
  expect({ name, version }).toEqual({ name: manifest['name'], version: manifest['version'] });
});
