import path from 'node:path';
import { buildWorkflowBundle } from './bundle';
import { bundleName } from './data-converter';

const dist = path.join(__dirname, '..', '..');

/**
 * The last step of `npm run build`: builds the bundles that production workers load. The plain bundle is built last, so
 * its existence means that the build is complete.
 */
async function build(): Promise<void> {
  for (const sealed of [true, false]) {
    await buildWorkflowBundle(path.join(dist, bundleName({ sealed })), { sealed });
  }
}

void build().catch((error: unknown) => {
  process.stderr.write(`The workflow bundle could not be built: ${String(error)}\n`);
  process.exitCode = 1;
});
