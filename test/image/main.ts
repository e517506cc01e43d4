import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packageRoot } from '../../src/base/lib/package-root';
import { eventually } from '../support/eventually';
import { userEnvironment } from '../support/npm-start';
import { stablePort } from '../support/stable-port';
import { stagesOf, type Stage } from './dockerfile';

/**
 * `npm run test:image`: runs the steps of the Dockerfile in directories instead of containers, then starts what each image would
 * start. Steps that install packages of the system are left out.
 */
async function main(): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), 'herald-image-'));
  await chmod(directory, 0o755);
  try {
    const stages = stagesOf(await readFile(path.join(packageRoot, 'Dockerfile'), 'utf8'));
    const context = path.join(directory, 'context');
    await copyContext(context);
    for (const stage of stages) await build(stage, directory, context);
    await startDemo(path.join(directory, 'demo'));
    await startProduction(path.join(directory, nameOf(stages.at(-1))));
    say('both images start');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const nameOf = (stage: Stage | undefined) => stage?.name || 'production';

/** What `docker build` would send: the files that .dockerignore admits. */
async function copyContext(context: string): Promise<void> {
  const ignore = await readFile(path.join(packageRoot, '.dockerignore'), 'utf8');
  for (const line of ignore.split('\n')) {
    if (!line.startsWith('!')) continue;
    const name = line.slice(1);
    await cp(path.join(packageRoot, name), path.join(context, name), { recursive: true });
  }
}

async function build(stage: Stage, directory: string, context: string): Promise<void> {
  const root = path.join(directory, nameOf(stage));
  say(`stage ${nameOf(stage)}`);
  await mkdir(root, { recursive: true });
  // A stage that begins with another one has its files.
  if (!stage.from.startsWith('node:')) await cp(path.join(directory, stage.from), root, copying);
  for (const { instruction, value } of stage.steps) {
    if (instruction === 'COPY') await copyInto(root, value, directory, context);
    if (instruction === 'RUN' && !/^apt-get|^chown/.test(value)) {
      say(`  ${value}`);
      await run('/bin/sh', ['-ec', value], root, imageEnvironment());
    }
  }
}

const copying = { recursive: true, verbatimSymlinks: true } as const;

async function copyInto(root: string, value: string, directory: string, context: string): Promise<void> {
  const words = value.split(/\s+/);
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
  const sources = words.filter((word) => !word.startsWith('--')).slice(0, -1);
  if (from !== undefined) return cp(path.join(directory, from), root, copying);
  for (const source of sources) {
    const target = source === '.' ? root : path.join(root, path.basename(source));
    await cp(path.join(context, source), target, copying);
  }
}

/** Without the settings of the shell that runs the test. */
function imageEnvironment(): NodeJS.ProcessEnv {
  return userEnvironment({});
}

async function run(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}`);
}

/** The demo serves its pages without any setting. */
async function startDemo(root: string): Promise<void> {
  say('starting the demo');
  const port = await stablePort();
  const child = spawn(process.execPath, ['bin/herald.js', 'start'], {
    cwd: root,
    env: { ...imageEnvironment(), PORT: String(port), HERALD_DATA_DIR: path.join(root, '.herald') },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`the demo exited with ${child.exitCode}`);
      const response = await fetch(`http://127.0.0.1:${port}/readyz`);
      return response.ok;
    }, 180_000);
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

/** In production it names the settings that it needs, and has neither development dependencies nor a database. */
async function startProduction(root: string): Promise<void> {
  say('starting the image of production');
  await run(process.execPath, ['bin/herald.js', '--version'], root, imageEnvironment());
  const env = { ...imageEnvironment(), NODE_ENV: 'production', DATABASE_URL: 'postgres://127.0.0.1:1/none' };
  const child = spawn(process.execPath, ['bin/herald.js', 'start'], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString('utf8')));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 78 || !errors.includes('HERALD_ENCRYPTION_KEY')) {
    throw new Error(`it exited with ${code}: ${errors}`);
  }
}

function say(message: string): void {
  process.stderr.write(`${message}\n`);
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
