import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** What tests in Python use: the official verifier, and what the SDK depends on and is built with. */
const packages = ['standardwebhooks', 'httpx', 'hatchling'];

/** Python with these packages in a cached environment; null where there is no Python or they cannot be installed. */
export function pythonWithPackages(): string | null {
  if (spawnSync('python3', ['--version'], { stdio: 'ignore' }).status !== 0) return null;
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const environment = join(cache, 'herald', `test-${packages.join('-')}`);
  const python = join(environment, 'bin', 'python');
  return existsSync(python) || install(environment) ? python : null;
}

export interface WebhooksPython {
  command: string;
  verifier: 'standardwebhooks' | 'standard library';
}

/** Python with the official verifier, else Python as it is, else null. */
export function pythonForStandardWebhooks(): WebhooksPython | null {
  const command = pythonWithPackages();
  if (command) return { command, verifier: 'standardwebhooks' };
  const hasPython = spawnSync('python3', ['--version'], { stdio: 'ignore' }).status === 0;
  return hasPython ? { command: 'python3', verifier: 'standard library' } : null;
}

/** Without a network this fails at once; the reason is written to stderr. */
function install(environment: string): boolean {
  const draft = `${environment}.${process.pid}`;
  try {
    execFileSync('python3', ['-m', 'venv', draft], { stdio: 'ignore', timeout: 60_000 });
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries', '0'];
    execFileSync(join(draft, 'bin', 'python'), [...pip, '--timeout', '10', ...packages], {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 60_000,
    });
    renameSync(draft, environment);
    return true;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (existsSync(environment)) return true;
    // Visible in every run: with a package index within reach, the tests must use the packages.
    process.stderr.write(`The Python packages of the tests were not installed: ${String(error)}\n`);
    return false;
  }
}
