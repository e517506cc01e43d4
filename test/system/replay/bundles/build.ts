import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';

export interface ChangedBundle {
  path: string;
  remove(): Promise<void>;
}

/** A bundle of changed workflows, as another deployment would bring it. */
export async function buildChangedBundle(change: 'guarded' | 'unguarded'): Promise<ChangedBundle> {
  const silent = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
  const { code } = await bundleWorkflowCode({
    workflowsPath: path.join(__dirname, `${change}.ts`),
    logger: silent,
  });
  const directory = await mkdtemp(path.join(tmpdir(), 'herald-bundle-'));
  const file = path.join(directory, 'workflow-bundle.js');
  await writeFile(file, code);
  return { path: file, remove: () => rm(directory, { recursive: true, force: true }) };
}
