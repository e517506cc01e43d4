import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Herald } from '../../../sdk/typescript/src';
import { packageRoot } from '../../base/lib/package-root';
import type { Logger } from '../../base/lib/log';

/** The site's own default; another start of Herald may have it. */
const PORT = 4000;

export interface ExampleSite {
  url: string;
  stop(): Promise<void>;
}

interface ExampleSiteOptions {
  apiUrl: string;
  apiKey: string;
  publicUrl: string;
  /** Of the namespace in the Temporal UI. */
  workflowsUrl?: string | null;
  /** Holds the site's URL while it runs, so that the next start can remove what a killed one left in the project. */
  urlFile: string;
  log: Logger;
}

type StartSite = (options: {
  herald: Herald;
  heraldUrl: string;
  workflowsUrl: string | null;
  killedUrl: string | null;
  port: number;
  onError: (error: unknown) => void;
}) => Promise<ExampleSite>;

/**
 * Runs `examples/website` with the key of the demo project, as a project's own site would run. Returns null if it cannot
 * start: the service does not need it.
 */
export async function startExampleSite(options: ExampleSiteOptions): Promise<ExampleSite | null> {
  const { urlFile, log } = options;
  try {
    const site = await startOnFreePort(options);
    await writeFile(urlFile, `${site.url}\n`, { mode: 0o600 }).catch((err: unknown) =>
      log.warn({ err }, 'could not store the URL of the example site'),
    );
    return {
      url: site.url,
      async stop() {
        await site.stop();
        await rm(urlFile, { force: true });
      },
    };
  } catch (err) {
    log.warn({ err }, 'the example site could not start');
    return null;
  }
}

async function startOnFreePort(options: ExampleSiteOptions): Promise<ExampleSite> {
  const { apiUrl, apiKey, publicUrl, workflowsUrl = null, urlFile, log } = options;
  const file = path.join(packageRoot, 'examples', 'website', 'site.mjs');
  const { startSite } = (await import(pathToFileURL(file).href)) as { startSite: StartSite };
  const killedUrl = await readFile(urlFile, 'utf8').then(
    (text) => text.trim(),
    () => null,
  );
  const startOn = (port: number) =>
    startSite({
      herald: new Herald({ baseUrl: apiUrl, apiKey }),
      heraldUrl: publicUrl,
      workflowsUrl,
      killedUrl,
      port,
      onError: (err) => log.warn({ err }, 'the example site failed to respond'),
    });
  try {
    return await startOn(PORT);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== 'listen') throw error;
    return startOn(0);
  }
}
