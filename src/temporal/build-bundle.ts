import path from 'node:path';
import { buildWorkflowBundle } from './bundle';
import { bundleName } from './data-converter';

const dist = path.join(__dirname, '..', '..');

/** The last step of `npm run build`: the bundles that production workers load as they are. The plain one marks its end. */
async function build(): Promise<void> {
  for (const sealed of [true, false]) {
    await buildWorkflowBundle(path.join(dist, bundleName({ sealed })), { sealed });
  }
}

void build().catch((error: unknown) => {
  process.stderr.write(`The workflow bundle could not be built: ${String(error)}\n`);
  process.exitCode = 1;
});
