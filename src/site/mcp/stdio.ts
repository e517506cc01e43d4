import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { MCP_PATH } from './endpoint';

/** Longer than a long poll of the API. */
const LAST_RESPONSES_MS = 30_000;
/** Of JSON-RPC. */
const INTERNAL_ERROR = -32_603;

type RequestId = string | number;

interface Message {
  id?: RequestId;
  method?: string;
  params?: { requestId?: RequestId };
}

/**
 * Passes the messages of a local agent, one on each line, on to the service, and its responses back. Ends when the agent has
 * ended and has every response.
 */
export async function serveOnStdio(apiUrl: string, apiKey: string): Promise<void> {
  const ended = new AbortController();
  const calls = new Map<RequestId, AbortController>();
  const open = new Set<Promise<void>>();
  const send = messageSender(new URL(MCP_PATH, apiUrl), apiKey);

  async function pass(message: Message, line: string): Promise<void> {
    const { id, method } = message;
    const call = new AbortController();
    if (id !== undefined) calls.set(id, call);
    const response = await send(line, call.signal).catch((error: Error) =>
      // Notifications and responses are not answered.
      id === undefined || method === undefined ? '' : refusal(id, error.message),
    );
    if (id !== undefined) calls.delete(id);
    if (response && !call.signal.aborted) process.stdout.write(`${response}\n`);
  }

  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ended.abort());
  for await (const line of createInterface({ input: process.stdin, signal: ended.signal })) {
    const message = messageOf(line);
    if (!message) continue;
    const { method, params } = message;
    if (method === 'notifications/cancelled' && params?.requestId !== undefined) {
      calls.get(params.requestId)?.abort();
    }
    const passed = pass(message, line).finally(() => open.delete(passed));
    open.add(passed);
  }
  const { signal } = ended;
  await Promise.race([Promise.all(open), sleep(LAST_RESPONSES_MS, null, { ref: false, signal })]).catch(
    () => undefined,
  );
  for (const call of calls.values()) call.abort();
}

function messageSender(url: URL, apiKey: string) {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  return async (body: string, signal: AbortSignal): Promise<string> => {
    const response = await fetch(url, { method: 'POST', headers, body, signal });
    const text = await response.text();
    if (!response.ok) throw new Error(`The service responded with ${response.status}: ${text}`);
    return text;
  };
}

function messageOf(line: string): Message | null {
  try {
    return JSON.parse(line) as Message | null;
  } catch {
    return null;
  }
}

function refusal(id: RequestId, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message } });
}
