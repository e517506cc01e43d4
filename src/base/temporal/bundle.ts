import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';

/** Two folders up both from src/base/temporal and from dist/src/base/temporal. */
const workflowsPath = path.join(__dirname, '..', '..', '..', 'workflows');

/** Bundles the workflows, so that workers start without running webpack. The file is written atomically. */
export async function buildWorkflowBundle(outFile: string): Promise<void> {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    webpackConfigHook: (config) => ({ ...config, devtool: 'inline-nosources-source-map' }),
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  });
  await mkdir(path.dirname(outFile), { recursive: true });
  const partial = `${outFile}.${process.pid}.partial`;
  await writeFile(partial, code);
  await rename(partial, outFile);
}
