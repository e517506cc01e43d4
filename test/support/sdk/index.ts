import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pythonWithPackages } from '../python';

const root = path.join(__dirname, '..', '..', '..');
const sdk = path.join(root, 'sdk');
/** Inside the checkout, so that the build finds the root's compiler; git and the linters ignore it. */
const cache = path.join(root, 'test-output', 'sdk-packages');

/** A project into which the packed TypeScript SDK is installed: scripts in it import `herald-sdk`. */
export function typescriptProject(): string {
  return built('typescript', (draft) => {
    const source = path.join(draft, 'source');
    copySources('typescript', source);
    npm(source, 'pack', '--silent', '--pack-destination', draft);
    const packed = readdirSync(draft).find((name) => name.endsWith('.tgz')) ?? '';
    writeFileSync(path.join(draft, 'package.json'), JSON.stringify({ name: 'scratch', private: true }));
    npm(draft, 'install', '--offline', '--no-audit', '--no-fund', '--silent', `./${packed}`);
    rmSync(source, { recursive: true });
  });
}

/** The file that is installed: the tarball or the wheel. */
export function builtPackage(language: string): string {
  const folder = language === 'python' ? pythonProject()?.folder : typescriptProject();
  const name = readdirSync(folder ?? '').find((each) => /\.(tgz|whl)$/.test(each));
  return path.join(folder ?? '', name ?? '');
}

export interface PythonProject {
  folder: string;
  /** The folder with the packages that the SDK depends on. */
  dependencies: string;
  /** The interpreter. */
  python: string;
  /** With this environment, scripts import `herald_sdk` from the installed wheel. */
  env: Record<string, string>;
}

/** Null where Python or its packages are missing. */
export function pythonProject(): PythonProject | null {
  const python = pythonWithPackages();
  if (python === null) return null;
  const folder = built('python', (draft) => {
    const source = path.join(draft, 'source');
    copySources('python', source);
    const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check'];
    const options = { stdio: ['ignore', 'ignore', 'inherit'] as ['ignore', 'ignore', 'inherit'] };
    execFileSync(
      python,
      [...pip, 'wheel', '--no-deps', '--no-build-isolation', '-w', draft, source],
      options,
    );
    const wheel = readdirSync(draft).find((name) => name.endsWith('.whl')) ?? '';
    const target = ['--target', path.join(draft, 'installed')];
    execFileSync(
      python,
      [...pip, 'install', '--no-deps', '--no-index', ...target, path.join(draft, wheel)],
      options,
    );
    rmSync(source, { recursive: true });
  });
  const lookUp = 'import sysconfig; print(sysconfig.get_paths()["purelib"])';
  const dependencies = execFileSync(python, ['-c', lookUp], { encoding: 'utf8' }).trim();
  return {
    folder,
    dependencies,
    python,
    env: { PYTHONPATH: path.join(folder, 'installed'), PYTHONUTF8: '1' },
  };
}

/** The folder that `build` fills, kept until the sources of the SDK change. */
function built(language: string, build: (draft: string) => void): string {
  const hash = createHash('sha256');
  for (const file of sourcesOf(language)) {
    hash.update(`${file}\0`).update(readFileSync(path.join(sdk, language, file)));
  }
  const name = `${language}-${hash.digest('hex').slice(0, 16)}`;
  const folder = path.join(cache, name);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  build(draft);
  try {
    renameSync(draft, folder);
  } catch (error) {
    // Another worker was faster.
    rmSync(draft, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  for (const other of readdirSync(cache)) {
    const isStale = other.startsWith(`${language}-`) && !other.startsWith(name);
    if (isStale) rmSync(path.join(cache, other), { recursive: true, force: true });
  }
  return folder;
}

function sourcesOf(language: string): string[] {
  const files = readdirSync(path.join(sdk, language), { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(path.join(sdk, language), path.join(entry.parentPath, entry.name)))
    .filter((file) => !/(^|[/\\])(dist|node_modules|__pycache__)[/\\]|\.tgz$/.test(file))
    .sort();
}

/** A copy, because the build writes beside the sources. */
function copySources(language: string, target: string): void {
  for (const file of sourcesOf(language)) cpSync(path.join(sdk, language, file), path.join(target, file));
}

function npm(cwd: string, ...args: string[]): void {
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
