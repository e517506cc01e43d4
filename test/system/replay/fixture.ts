import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { History as RecordedHistory } from '../../../src/base/temporal/history-json';
import { packed } from '../../support/packed-file';
import { HISTORY_FILE, historiesDir } from './histories';

const { History } = temporal.api.history.v1;

function writtenHistory(history: RecordedHistory): string {
  const plain = History.toObject(History.fromObject(history), {
    longs: String,
    enums: String,
    bytes: String,
  });
  return `${JSON.stringify(plain, withoutMachine, 1)}\n`;
}

/** Stack traces and identities tell where a history was recorded, which does not belong into the repository and replays nothing. */
function withoutMachine(key: string, value: unknown): unknown {
  if (key === 'stackTrace') return undefined;
  return typeof value === 'string' && /^\d+@/.test(value) ? 'recorded' : value;
}

/**
 * With HERALD_RECORD_HISTORIES=1 a test leaves its history for the replay test. Histories of released shapes are
 * never overwritten: a new shape gets a new name.
 */
export async function recordHistory(
  handle: Pick<WorkflowHandle, 'fetchHistory' | 'workflowId'>,
  workflow: string,
  name: string,
): Promise<void> {
  if (!process.env['HERALD_RECORD_HISTORIES']) return;
  const dir = path.join(historiesDir, workflow);
  await mkdir(dir, { recursive: true });
  const history = packed(writtenHistory(await handle.fetchHistory()));
  const file = path.join(dir, `${name}${HISTORY_FILE}`);
  await writeFile(file, history, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

export interface ChangedBundle {
  path: string;
  remove(): Promise<void>;
}

/** A bundle of changed workflows, as another deployment would bring it. */
export async function buildChangedBundle(change: 'guarded' | 'unguarded'): Promise<ChangedBundle> {
  const silent = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
  const { code } = await bundleWorkflowCode({
    workflowsPath: path.join(__dirname, 'bundles', `${change}.ts`),
    logger: silent,
  });
  const directory = await mkdtemp(path.join(tmpdir(), 'herald-bundle-'));
  const file = path.join(directory, 'workflow-bundle.js');
  await writeFile(file, code);
  return { path: file, remove: () => rm(directory, { recursive: true, force: true }) };
}
