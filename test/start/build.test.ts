import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, truncateSync, utimesSync } from 'node:fs';
import { eventually } from '../support/eventually';
import { createCheckout, type Checkout } from './checkout';

jest.setTimeout(120_000);

const nothing = { parts: [], code: 0, stderr: '' };
const built = (...parts: string[]) => ({ ...nothing, parts });

describe('npm run build', () => {
  let checkout: Checkout;
  const text = (name: string) => readFileSync(checkout.file(name), 'utf8');

  beforeEach(async () => {
    checkout = createCheckout();
    expect(await checkout.build()).toEqual(built('bundle', 'code', 'pages'));
  });
  afterEach(() => checkout.remove());

  it('builds everything once, then nothing, whatever the times of the files say', async () => {
    expect(text('dist/web/page.js')).toContain('first');
    expect(text('dist/src/shop/routes.js')).toContain('/first');
    expect(text('dist/workflow-bundle.js')).toBe('total 1');
    expect(await checkout.build()).toEqual(nothing);
    utimesSync(checkout.file('src/shop/routes.ts'), new Date(), new Date(Date.now() + 60_000));
    expect(await checkout.build()).toEqual(nothing);
  });

  it('builds only the part whose sources have changed, even to an older file', async () => {
    checkout.write('web/page.ts', `document.title = 'second';`);
    utimesSync(checkout.file('web/page.ts'), new Date(0), new Date(0));
    expect(await checkout.build()).toEqual(built('pages'));
    expect(text('dist/web/page.js')).toContain('second');

    checkout.write('src/shop/routes.ts', `export const route = '/second';`);
    expect(await checkout.build()).toEqual(built('code'));
    expect(text('dist/src/shop/routes.js')).toContain('/second');

    checkout.write('src/shop/price.ts', 'export const price = 2;');
    expect(await checkout.build()).toEqual(built('bundle', 'code'));
    expect(text('dist/workflow-bundle.js')).toBe('total 2');

    checkout.write('src/shop/contract.ts', 'export interface Item { price: 1 | 2 }');
    expect(await checkout.build()).toEqual(built('code'));
    checkout.write('src/base/db/migrations/0001_first.sql', 'SELECT 1');
    expect(await checkout.build()).toEqual(built('code'));
    checkout.write('package-lock.json', '{ "lockfileVersion": 3 }');
    expect(await checkout.build()).toEqual(built('bundle', 'code', 'pages'));
  });

  it('builds the pages again when a module that they import has changed, and only as long as they import it', async () => {
    checkout.write('src/shop/currency.ts', `export { currency } from './money';`);
    checkout.write('src/shop/money.ts', `export const currency = 'USD';`);
    expect(await checkout.build()).toEqual(built('code', 'pages'));
    expect(text('dist/web/page.js')).toContain('USD');
    checkout.write('src/shop/money.ts', `export const currency = 'RUB';`);
    expect(await checkout.build()).toEqual(built('code', 'pages'));
    expect(text('dist/web/page.js')).toContain('RUB');
    checkout.write('web/page.ts', `document.title = 'third';`);
    rmSync(checkout.file('src/shop/currency.ts'));
    expect(await checkout.build()).toEqual(built('code', 'pages'));
    checkout.write('src/shop/money.ts', `export const currency = 'EUR';`);
    expect(await checkout.build()).toEqual(built('code'));
  });

  it('compiles to modules whose names import() finds, for lazy loading and for ES modules of others', async () => {
    const names = `import('./dist/src/shop/routes.js').then((m) => console.log(m.route, m.other))`;
    const found = spawnSync(process.execPath, ['-e', names], { cwd: checkout.file('.'), encoding: 'utf8' });
    expect(found.stdout).toBe('/first /other\n');
  });

  it('removes what it made of a source that is gone', async () => {
    checkout.write('src/shop/routes/index.ts', `export const route = '/third';`);
    rmSync(checkout.file('src/shop/routes.ts'));
    expect(await checkout.build()).toEqual(built('code'));
    expect(existsSync(checkout.file('dist/src/shop/routes.js'))).toBe(false);
    expect(existsSync(checkout.file('dist/src/shop/routes.js.map'))).toBe(false);
    expect(text('dist/src/shop/routes/index.js')).toContain('/third');
  });

  it('shows a syntax error with its place, and leaves the last good code as it was', async () => {
    const good = text('dist/src/shop/price.js');
    checkout.write('src/shop/price.ts', 'export const price = 3;');
    checkout.write('src/shop/routes.ts', 'export const = 1;');
    for (const _twice of [1, 2]) {
      const failed = await checkout.build();
      expect(failed).toMatchObject({ parts: ['code'], code: 1 });
      expect(failed.stderr).toContain('src/shop/routes.ts:1:1');
      expect(failed.stderr).not.toContain('backtrace');
      expect(text('dist/src/shop/price.js')).toBe(good);
    }
    checkout.write('src/shop/routes.ts', 'export const route = 1;');
    expect(await checkout.build()).toEqual(built('bundle', 'code'));
    checkout.write('web/page.ts', 'document.title = ;');
    expect(await checkout.build()).toMatchObject({ parts: ['pages'], code: 1 });
    expect(text('dist/web/page.js')).toContain('first');
  });

  it('repeats a part whose build was killed', async () => {
    checkout.write('src/shop/price.ts', 'export const price = 4;');
    const { child, output, closed } = checkout.run({ TEST_HANG: '1' });
    await eventually(() => output.stdout.includes('Building the bundle'), 60_000);
    child.kill('SIGKILL');
    await closed;
    // As if it had been killed in the middle of a file, too.
    truncateSync(checkout.file('dist/src/shop/routes.js'), 10);
    checkout.write('dist/built.json', JSON.stringify({ ...JSON.parse(text('dist/built.json')), code: null }));
    expect(await checkout.build()).toEqual(built('bundle', 'code'));
    expect(text('dist/src/shop/routes.js')).toContain('/first');
    expect(text('dist/workflow-bundle.js')).toBe('total 4');
  });

  it('builds once when two commands start together', async () => {
    renameSync(checkout.file('dist'), checkout.file('old'));
    const both = await Promise.all([checkout.build(), checkout.build()]);
    expect(both.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ]);
    expect(both.flatMap(({ parts }) => parts).sort()).toEqual(['bundle', 'code', 'pages']);
    expect(await checkout.build()).toEqual(nothing);
  });
});
