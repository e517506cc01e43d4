import type { Command } from 'commander';
import { httpUrl } from './arguments';
import { UsageError } from './context';

/** A service elsewhere, and the key of the project that a command is about. */
export interface RemoteApi {
  url: string;
  key: string;
}

export interface TargetOptions {
  project?: string;
  apiUrl?: string;
  apiKey?: string;
}

/** Options of commands that work on a project of this installation or on a remote one. */
export function addTargetOptions(command: Command, defaultProject: string): Command {
  return command
    .option('--project <slug>', `a project of this installation; default: ${defaultProject}`)
    .option('--api-url <url>', 'a remote service', httpUrl)
    .option('--api-key <key>', 'key of the remote project; default: HERALD_API_KEY');
}

/** Null where the command is about this installation. */
export function remoteOf({ project, apiUrl, apiKey }: TargetOptions): RemoteApi | null {
  if (apiUrl === undefined && apiKey === undefined) return null;
  // Only with --api-url, so that the variable may be set on a machine that runs Herald.
  const key = apiKey ?? process.env['HERALD_API_KEY'];
  if (!apiUrl || !key) throw new UsageError('A remote service needs both --api-url and --api-key.');
  if (project !== undefined) {
    throw new UsageError('--project cannot be combined with --api-key, which names the project.');
  }
  return { url: apiUrl, key };
}

/** A request to a remote service. A refusal that another try will not change ends the command. */
export async function callApi<T>(
  { url, key }: RemoteApi,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    redirect: 'error',
  });
  if (!response.ok) throw await refusalOf(response);
  return (await response.json()) as T;
}

async function refusalOf(response: Response): Promise<Error> {
  const body = (await response.json().catch(() => ({}))) as { error?: string };
  const text = body.error ?? `The service responded ${response.status}.`;
  const isFinal = response.status >= 400 && response.status < 500 && response.status !== 429;
  return isFinal ? new UsageError(text) : new Error(text);
}

/** Says on standard error that a connection was lost. */
export function disconnected(reason: string, retryMs: number): void {
  const seconds = Math.round(retryMs / 100) / 10;
  process.stderr.write(`Disconnected: ${reason.replace(/\.$/, '')}. Reconnecting in ${seconds} s.\n`);
}

/** `fetch` hides the cause of a failed connection. */
export function reasonOf(error: unknown): string {
  const { cause, message, code } = error as Error & { code?: string };
  return cause instanceof Error ? reasonOf(cause) : message || String(code);
}
