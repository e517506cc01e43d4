import { Agent, type Dispatcher } from 'undici';
import { createVettedConnector } from './dial';

interface VettedRequest {
  method: 'GET' | 'HEAD';
  allowLocal: boolean;
  signal: AbortSignal;
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Makes one request to a URL that a project chose and `vetUrl` has accepted. It connects only to vetted addresses and
 * follows no redirects. The connection is closed when `use` is done with the response.
 */
export async function withVettedResponse<T>(
  url: URL,
  { method, allowLocal, signal }: VettedRequest,
  use: (response: Dispatcher.ResponseData) => Promise<T>,
): Promise<T> {
  const connect = createVettedConnector({ allowLocal, timeoutMs: CONNECT_TIMEOUT_MS });
  const agent = new Agent({ connect, connections: 1 });
  try {
    return await use(
      await agent.request({ origin: url.origin, path: url.pathname + url.search, method, signal }),
    );
  } finally {
    await agent.destroy();
  }
}

/** The stated length of a response; null if there is none. */
export function lengthOf({ headers }: Pick<Dispatcher.ResponseData, 'headers'>): number | null {
  const stated = headers['content-length'];
  return typeof stated === 'string' && /^\d{1,15}$/.test(stated) ? Number(stated) : null;
}
