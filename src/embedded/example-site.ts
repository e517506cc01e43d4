import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Herald } from '../../sdk/typescript/src';
import { packageRoot } from '../lib/package-root';
import { bindOnce } from '../lib/ports';
import type { Logger } from '../lib/log';

/** The site's own default; another start of Herald may have it. */
const PORT = 4000;

export interface ExampleSite {
  url: string;
  stop(): Promise<void>;
}

type StartSite = (options: {
  herald: Herald;
  heraldUrl: string;
  workflowsUrl: string | null;
  port: number;
  onError: (error: unknown) => void;
}) => Promise<ExampleSite>;

/** Runs `examples/website` with the key of the demo project, as a project's own site would run. */
export async function startExampleSite(options: {
  apiUrl: string;
  apiKey: string;
  publicUrl: string;
  /** Of the namespace in the Temporal UI. */
  workflowsUrl?: string | null;
  log: Logger;
}): Promise<ExampleSite> {
  const { apiUrl, apiKey, publicUrl, workflowsUrl = null, log } = options;
  const file = path.join(packageRoot, 'examples', 'website', 'site.mjs');
  const { startSite } = (await import(pathToFileURL(file).href)) as { startSite: StartSite };
  return startSite({
    herald: new Herald({ baseUrl: apiUrl, apiKey }),
    heraldUrl: publicUrl,
    workflowsUrl,
    port: await bindOnce(PORT).then(
      () => PORT,
      () => 0,
    ),
    onError: (err) => log.warn({ err }, 'the example site failed to respond'),
  });
}
