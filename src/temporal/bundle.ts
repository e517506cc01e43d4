import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { failureConverterPath } from './data-converter';

/** Sources under src/, compiled files under dist/src/: in both, the workflows are two folders up. */
const workflowsPath = path.join(__dirname, '..', '..', 'workflows');

/**
 * Bundles the workflows once, so that a worker starts without running webpack. Written whole or not at all. A sealed
 * bundle makes failures whose messages the payload codec encrypts.
 */
export async function buildWorkflowBundle(outFile: string, { sealed = false } = {}): Promise<void> {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    ...(sealed ? { failureConverterPath } : {}),
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  });
  await mkdir(path.dirname(outFile), { recursive: true });
  const partial = `${outFile}.${process.pid}.partial`;
  await writeFile(partial, code);
  await rename(partial, outFile);
}
