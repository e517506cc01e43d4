import { AsyncLocalStorage } from 'node:async_hooks';
import path from 'node:path';
import { Gauge } from 'prom-client';
import { packageRoot } from '../../../src/base/lib/package-root';

interface Environment {
  teardown(): Promise<void>;
}

// oxlint-disable-next-line typescript/no-require-imports -- jest loads it by its path as well
const Environment = require('../../support/jest/environment') as new (config: object) => Environment;

test('a package is the one of Node’s own loader, in the realm of the tests', async () => {
  expect((await import('prom-client')).Gauge).toBe(Gauge);
  expect(() => new Gauge({ name: 'not a name', help: '' })).toThrow(Error);
});

test('modules of ours are evaluated anew', () => {
  const file = path.join(packageRoot, 'src', 'base', 'lib', 'metrics.ts');
  let other: unknown;
  // oxlint-disable-next-line typescript/no-require-imports -- each of them from its own registry
  jest.isolateModules(() => (other = require(file)));
  // oxlint-disable-next-line typescript/no-require-imports
  expect(require(file)).not.toBe(other);
});

test('what a file has changed is put back after it', async () => {
  const { fetch } = globalThis;
  const environment = new Environment({ projectConfig: { fakeTimers: {} } });
  const storage = new AsyncLocalStorage<string>();
  storage.enterWith('left on');
  Object.assign(globalThis, { leftBehind: true, fetch: () => 'replaced' });
  Object.assign(process.env, { LEFT_BEHIND: 'yes', PATH: 'changed' });
  await environment.teardown();
  expect('leftBehind' in globalThis).toBe(false);
  expect(globalThis.fetch).toBe(fetch);
  expect(process.env['LEFT_BEHIND']).toBeUndefined();
  expect(process.env['PATH']).not.toBe('changed');
  expect(storage.getStore()).toBeUndefined();
});
