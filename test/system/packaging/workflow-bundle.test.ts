import { readFileSync } from 'node:fs';

test('the bundle maps its lines to the sources without their text, of which every worker would keep two copies', () => {
  const code = readFileSync(process.env['HERALD_TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8');
  const encoded = code.slice(code.lastIndexOf('base64,') + 'base64,'.length);
  const map = JSON.parse(Buffer.from(encoded, 'base64').toString()) as Record<string, unknown>;
  expect(map['sources']).toContainEqual(expect.stringMatching(/\/workflows\/auth-session\.ts$/));
  expect(map['mappings']).toMatch(/^[\w,;+/]{1000}/);
  expect(map['sourcesContent']).toBeUndefined();
});
