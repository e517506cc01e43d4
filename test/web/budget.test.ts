import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const built = path.join(__dirname, '..', '..', 'dist', 'web');
const BUDGET_BYTES = 150 * 1024;

describe('the scripts of the pages', () => {
  it('are at most 150 KB each, compressed', () => {
    const scripts = readdirSync(built).filter((name) => name.endsWith('.js'));
    expect(scripts).toContain('dashboard.js');
    for (const name of scripts) {
      const size = gzipSync(readFileSync(path.join(built, name))).length;
      expect([name, size <= BUDGET_BYTES]).toEqual([name, true]);
    }
  });
});
