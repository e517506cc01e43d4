import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startNpm, userEnvironment } from '../support/npm-start';

const root = path.join(__dirname, '..', '..');

/**
 * A newcomer's first start: clones the last commit, runs README's command with empty caches of npm, pip and Herald, and prints
 * how long it took until Herald was ready. A `temporal` on the PATH is used, as on a newcomer's machine.
 */
async function main(): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'herald-first-start-'));
  try {
    // As root, PostgreSQL runs as another user, who must be able to traverse the directory.
    chmodSync(directory, 0o711);
    const checkout = path.join(directory, 'herald');
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, checkout]);
    const settings = {
      XDG_CACHE_HOME: path.join(directory, 'cache'),
      npm_config_cache: path.join(directory, 'npm'),
      HERALD_DATA_DIR: path.join(checkout, '.herald'),
    };
    const began = Date.now();
    execFileSync('npm', ['ci'], { cwd: checkout, env: userEnvironment(settings), stdio: ['ignore', 2, 2] });
    const installed = Date.now();
    const ready = await start(checkout, settings);
    process.stdout.write(
      `npm ci ${seconds(installed - began)}, npm start ${seconds(ready - installed)}: ` +
        `ready after ${seconds(ready - began)}\n`,
    );
    const again = Date.now();
    process.stdout.write(
      `the second start: ready after ${seconds((await start(checkout, settings)) - again)}\n`,
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Starts Herald, stops it again, and returns the time at which it was ready. */
async function start(checkout: string, settings: { HERALD_DATA_DIR: string }): Promise<number> {
  const herald = startNpm(['start', '--', '--json'], settings, checkout);
  try {
    await herald.ready();
    return Date.now();
  } finally {
    process.stderr.write(herald.stderr());
    herald.signalGroup('SIGINT');
    await herald.allGone();
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

void main();
