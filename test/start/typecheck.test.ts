import { fork } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '../support/eventually';
import { createCheckout } from './checkout';

jest.setTimeout(400_000);

it('shows type errors while sources change, and ends with the process above it', async () => {
  const checkout = createCheckout();
  const child = fork(checkout.file('bin/typecheck.js'), { cwd: checkout.file('.'), stdio: 'pipe' });
  const exited = once(child, 'exit');
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  try {
    checkout.write('src/shop/price.ts', `export const price: string = 1;`);
    await eventually(() => stderr.includes('1 type error\n'), 150_000);
    expect(stderr).toContain("Type 'number' is not assignable to type 'string'.");
    expect(stderr).toContain('src/shop/price.ts');
    // Written again: the first report comes before the compiler watches the files.
    await eventually(async () => {
      checkout.write('src/shop/price.ts', `export const price: string = '1';`);
      return eventually(() => stderr.endsWith('No type errors\n'), 5_000);
    }, 100_000);
    checkout.write('web/page.ts', `document.title = 1;`);
    await eventually(() => stderr.endsWith('1 type error\n'), 100_000);
    expect(stderr).toContain('web/page.ts');
    child.disconnect();
    await exited;
  } finally {
    child.kill('SIGKILL');
    checkout.remove();
  }
});
