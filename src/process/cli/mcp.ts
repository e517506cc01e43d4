import type { Command } from 'commander';
import { httpUrl } from './arguments';
import { findInstallation, UsageError } from './context';

interface McpOptions {
  apiUrl?: string;
  apiKey?: string;
}

async function serve({ apiUrl, apiKey = process.env['HERALD_API_KEY'] }: McpOptions): Promise<void> {
  if (!apiKey) throw new UsageError('An API key is needed: --api-key, or HERALD_API_KEY.');
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new UsageError('The API key has characters that no key has.');
  const url = apiUrl ?? (await localApiUrl());
  // Loaded here, so that the other commands start fast.
  const { serveOnStdio } = await import('../../site/mcp/stdio.js');
  await serveOnStdio(url, apiKey);
}

async function localApiUrl(): Promise<string> {
  const url = (await findInstallation()).runtime?.['api_url'];
  if (typeof url === 'string') return url;
  throw new UsageError('Herald is not running here: start it with "npx herald start", or give --api-url.');
}

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('serve the tools of a project to a local agent, over standard input and output')
    .option('--api-url <url>', 'a remote service; default: the one that runs here', httpUrl)
    .option(
      '--api-key <key>',
      'key of the project, whose scopes decide on the tools; default: HERALD_API_KEY',
    )
    .action(serve);
}
