const tseslint = require('typescript-eslint');

/** Modules that do I/O or hold state: workflow code is replayed and must stay free of them. */
const ioModules = ['pg', 'zod', 'koa', 'undici', 'pino', 'telegraf', 'fs', 'http', 'https', 'net', 'crypto'];

module.exports = tseslint.config(
  {
    ignores: [
      '**/dist/',
      'sdk/typescript/src/generated/',
      'node_modules/',
      '.herald/',
      'web/simulator/',
      'test-output/',
    ],
  },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: __dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      eqeqeq: ['error', 'smart'],
      'no-console': 'error',
      curly: ['error', 'multi-line'],
    },
  },
  {
    files: ['workflows/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: ioModules.flatMap((name) => [
            { name, message: 'Workflow code is replayed: it imports no I/O.' },
            { name: `node:${name}`, message: 'Workflow code is replayed: it imports no I/O.' },
          ]),
          patterns: [
            {
              regex: '/src/(?!temporal/names$|login/flows$|webhooks/retrying-attributes$)|/activities/',
              allowTypeImports: true,
              message: 'Workflows import types and pure files only.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/cli.ts', 'src/cli/**/*.ts', 'bench/**/*.ts', 'test/support/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['describe', 'test', 'it'].flatMap((object) => [
          { object, property: 'only', message: 'Every test runs.' },
          { object, property: 'skip', message: 'Every test runs: a lane lists what it has.' },
          { object, property: 'todo', message: 'Write the test.' },
        ]),
        { object: 'jest', property: 'retryTimes', message: 'A test that fails sometimes is a bug.' },
      ],
    },
  },
  { files: ['**/*.js'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
);
