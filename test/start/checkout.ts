import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.join(__dirname, '..', '..');

/** The least that bin/build.js and bin/typecheck.js work on: one page, one workflow, some files of src/. */
const files: Record<string, string> = {
  'package-lock.json': '{}',
  'docs/receiving-webhooks.md': '# Receiving webhooks',
  'vite.config.mjs': `export default {
    root: 'web',
    logLevel: 'warn',
    build: {
      outDir: '../dist/web',
      emptyOutDir: true,
      rollupOptions: { input: 'web/page.ts', output: { entryFileNames: '[name].js' } },
    },
  };`,
  'web/page.ts': `import { currency } from '../src/shop/currency'; document.title = 'first' + currency;`,
  'workflows/index.ts': `import { price } from '../src/shop/price'; export const total = price;`,
  'src/shop/price.ts': `import type { Item } from './contract'; export const price: Item['price'] = 1;`,
  'src/shop/currency.ts': `export const currency = 'EUR';`,
  'src/shop/contract.ts': `export interface Item { price: number }`,
  'src/shop/routes.ts': `export const route = '/first'; export const other = '/other';`,
  'src/base/temporal/bundle.ts': `import { writeFile } from 'node:fs/promises';
    export async function buildWorkflowBundle(file: string): Promise<void> {
      const { total } = require('../../../workflows/index.js');
      await writeFile(file, \`total \${total}\`);
      if (process.env['TEST_HANG']) await new Promise((resolve) => setTimeout(resolve, 600_000));
    }`,
  'tsconfig.build.json': `{
    "compilerOptions": { "noEmit": true, "incremental": true, "tsBuildInfoFile": "dist/.tsbuildinfo", "types": [] },
    "include": ["src/shop", "workflows"]
  }`,
  'web/tsconfig.json': `{
    "compilerOptions": { "noEmit": true, "incremental": true, "tsBuildInfoFile": "../dist/.tsbuildinfo-web", "types": [] },
    "include": ["*.ts"]
  }`,
};

/** A checkout in miniature, in a directory of its own, with the real scripts and packages. */
export function createCheckout() {
  const directory = mkdtempSync(path.join(tmpdir(), 'herald-checkout-'));
  const file = (name: string) => path.join(directory, name);
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(file(name)), { recursive: true });
    writeFileSync(file(name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  for (const name of ['bin', 'src/local/lock.ts', 'src/local/process-identity.ts']) {
    cpSync(path.join(root, name), file(name), { recursive: true });
  }
  symlinkSync(path.join(root, 'node_modules'), file('node_modules'));

  const run = (env: Record<string, string> = {}) => {
    const child = spawn(process.execPath, ['bin/build.js'], {
      cwd: directory,
      // Jest's own value would make vite build for development.
      env: { ...process.env, NODE_ENV: 'production', ...env },
    });
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
    return { child, output, closed: once(child, 'close') };
  };

  return {
    file,
    write,
    run,
    /** Runs the build to its end and tells which parts it built. */
    async build() {
      const { child, output, closed } = run();
      await closed;
      const parts = [...output.stdout.matchAll(/^Building the (\w+)…$/gm)].map((match) => match[1]);
      return { parts: parts.sort(), code: child.exitCode, stderr: output.stderr };
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

export type Checkout = ReturnType<typeof createCheckout>;
