import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = path.join(__dirname, '..', '..');

jest.setTimeout(600_000);

test('a clean clone with empty caches is ready after README’s command, and the script says after how long', async () => {
  const { stdout } = await run(process.execPath, [
    path.join(root, 'node_modules', 'tsx', 'dist', 'cli.mjs'),
    path.join(root, 'test', 'first-start', 'main.ts'),
  ]);
  expect(stdout).toMatch(
    /^npm ci [\d.]+ s, npm start [\d.]+ s: ready after [\d.]+ s\nthe second start: ready after [\d.]+ s\n$/,
  );
});
