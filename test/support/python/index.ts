import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Python with the official package `standardwebhooks` in a cached environment, else Python as it is, else null. */
export function pythonForStandardWebhooks(): string | null {
  if (spawnSync('python3', ['--version'], { stdio: 'ignore' }).status !== 0) return null;
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const environment = join(cache, 'herald', 'test-standardwebhooks');
  const python = join(environment, 'bin', 'python');
  if (existsSync(python)) return python;
  return install(environment) ? python : 'python3';
}

/** Without a network this fails at once. */
function install(environment: string): boolean {
  const draft = `${environment}.${process.pid}`;
  try {
    execFileSync('python3', ['-m', 'venv', draft], { stdio: 'ignore', timeout: 60_000 });
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries', '0'];
    execFileSync(join(draft, 'bin', 'python'), [...pip, '--timeout', '10', 'standardwebhooks'], {
      stdio: 'ignore',
      timeout: 60_000,
    });
    renameSync(draft, environment);
    return true;
  } catch {
    rmSync(draft, { recursive: true, force: true });
    return false;
  }
}
