import { readFileSync } from 'node:fs';
import path from 'node:path';
import { cliReference } from '../../../src/process/cli/reference';

const reference = cliReference();

test('docs/cli.md is what "npm run docs:cli" writes', () => {
  const file = path.join(__dirname, '../../..', 'docs', 'cli.md');
  expect(readFileSync(file, 'utf8')).toBe(reference);
});

test('it has the commands with their arguments and options, and none that is hidden', () => {
  expect(reference).toContain('`herald deliveries retry <id>`');
  expect(reference).toContain('`--since');
  expect(reference).not.toContain('herald dev');
});
