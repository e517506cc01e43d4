const shared = {
  testEnvironment: '<rootDir>/test/support/jest/environment.js',
  // A worker loads packages once, for all of its files.
  runtime: '<rootDir>/test/support/jest/runtime.js',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        // import() stays as it is: it loads ES modules.
        module: { type: 'commonjs', ignoreDynamic: true, lazy: true },
        sourceMaps: 'inline',
      },
    ],
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.herald/'],
};

/** One PostgreSQL and one Temporal server serve all of these: jest runs a setup file once, however many projects name it. */
const withServers = {
  ...shared,
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  setupFilesAfterEnv: ['<rootDir>/test/support/timeout.ts'],
};

/** @type {import('jest').Config} */
module.exports = {
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/test/unit/**/*.test.ts'] },
    { ...withServers, displayName: 'system', testMatch: ['<rootDir>/test/system/**/*.test.ts'] },
    { ...withServers, displayName: 'web', testMatch: ['<rootDir>/test/web/**/*.test.ts'] },
    // What makes each change wait, and runs in CI: whole checkouts that are built and started, and processes that are killed.
    { ...withServers, displayName: 'start', testMatch: ['<rootDir>/test/start/**/*.test.ts'] },
    { ...withServers, displayName: 'chaos', testMatch: ['<rootDir>/test/chaos/**/*.test.ts'] },
  ],
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.js'],
  testSequencer: '<rootDir>/test/support/longest-first.js',
  // One more than the cores of a small machine: some of a test's time is spent waiting. A fourth worker only waits for a core.
  maxWorkers: 3,
  // A worker has nothing open at the end of a run (measured); to free a large heap takes a busy machine seconds, not the 500 ms
  // after which jest would end it by force and report a leak.
  workerGracefulExitTimeout: 20_000,
};
