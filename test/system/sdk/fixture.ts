import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pythonProject, typescriptProject } from '../../support/sdk';
import type { Installation } from '../../support/installation';
import { openAndWait, startOf } from '../login/fixture';
import { openApiClientSource } from './openapi-client-source';

const root = path.join(__dirname, '..', '..', '..');

/** How a language runs a script with its SDK, as installed from the built package. */
export interface Language {
  name: string;
  /** Prepares the script and returns the command that runs it. */
  prepare(script: { file: string; text?: string }): Prepared;
}

export interface Prepared {
  command: string[];
  cwd: string;
  env: Record<string, string>;
  remove(): void;
}

function folderIn(parent: string, { file, text }: { file: string; text?: string }): string {
  const folder = mkdtempSync(path.join(parent, 'run-'));
  const target = path.join(folder, path.basename(file));
  if (text === undefined) cpSync(file, target);
  else writeFileSync(target, text);
  return folder;
}

export const typescript: Language = {
  name: 'TypeScript',
  prepare(script) {
    const cwd = folderIn(typescriptProject(), script);
    const name = path.basename(script.file);
    writeFileSync(path.join(cwd, 'package.json'), JSON.stringify({ type: 'module' }));
    if (name.endsWith('.ts')) compile(cwd, name);
    const command = [process.execPath, name.replace(/\.ts$/, '.js')];
    return { command, cwd, env: {}, remove: () => rmSync(cwd, { recursive: true }) };
  },
};

/** With strict checks, so that the types of the installed package are tested too. */
function compile(cwd: string, name: string): void {
  const options = [
    '--strict',
    '--skipLibCheck',
    '--module',
    'node16',
    '--target',
    'es2022',
    '--types',
    'node',
  ];
  const types = ['--typeRoots', path.join(root, 'node_modules', '@types')];
  const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [compiler, ...options, ...types, name], { cwd, stdio: ['ignore', 2, 2] });
}

/** A program with types generated from an OpenAPI document, and no code of Herald. */
export function openApiClient(document: string): Prepared {
  const parent = path.join(root, 'test-output');
  mkdirSync(parent, { recursive: true });
  const cwd = folderIn(parent, { file: 'openapi-client.ts', text: openApiClientSource });
  writeFileSync(path.join(cwd, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(path.join(cwd, 'openapi.json'), document);
  const generator = path.join(root, 'node_modules', 'openapi-typescript', 'bin', 'cli.js');
  execFileSync(process.execPath, [generator, 'openapi.json', '-o', 'schema.d.ts'], { cwd, stdio: 'pipe' });
  compile(cwd, 'openapi-client.ts');
  const remove = () => rmSync(cwd, { recursive: true });
  return { command: [process.execPath, 'openapi-client.js'], cwd, env: {}, remove };
}

const python = pythonProject();

/** Python where this machine has it and its packages can be installed. */
export const languages: Language[] = [
  typescript,
  ...(python === null
    ? []
    : [
        {
          name: 'Python',
          prepare(script: { file: string; text?: string }): Prepared {
            const cwd = folderIn(path.dirname(python.env['PYTHONPATH'] as string), script);
            const command = [python.python, path.basename(script.file)];
            return { command, cwd, env: python.env, remove: () => rmSync(cwd, { recursive: true }) };
          },
        },
      ]),
];

/** Runs a script to its end and calls `onLine` for each line that it prints. */
export async function runScript(
  { command: [command = '', ...args], cwd, env }: Prepared,
  more: Record<string, string>,
  onLine: (line: string) => Promise<void> | void,
): Promise<void> {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    for await (const line of createInterface({ input: child.stdout })) await onLine(line);
    expect(await exited).toEqual([0, null]);
  } finally {
    if (child.exitCode === null && child.signalCode === null) child.kill();
  }
}

/** A user opens a session's link and taps Yes. */
export async function confirm(service: Installation, link: string, user: string): Promise<void> {
  await openAndWait(service, 'telegram', user, startOf(link));
  await service.control.tap('telegram', user, { button: 0 });
}
