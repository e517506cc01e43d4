import path from 'node:path';
import { buildWorkflowBundle } from './bundle';

/** The last step of `npm run build`: dist/workflow-bundle.js, which production workers load as it is. */
void buildWorkflowBundle(path.join(__dirname, '..', '..', 'workflow-bundle.js')).catch((error: unknown) => {
  process.stderr.write(`The workflow bundle could not be built: ${String(error)}\n`);
  process.exitCode = 1;
});
