import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import type { Simulator } from '../../../src/embedded/simulator';
import { startSimulator } from '../../../src/embedded/simulator';
import { SetupError } from '../../../src/embedded/setup-error';
import type { Chat } from '../../support/simulator-control';

export const TELEGRAM_TOKEN = '7000001:simulated-telegram-token';
export const MAX_TOKEN = 'simulated-max-token';

export function newSimulator(): Promise<Simulator> {
  return startSimulator({
    port: 0,
    telegram: { token: TELEGRAM_TOKEN, username: 'herald_bot' },
    max: { token: MAX_TOKEN, username: 'herald_max_bot' },
  });
}

/** Speaks the control API of one channel. */
export function controlOf(simulator: Simulator, channel: 'telegram' | 'max') {
  const base = `${simulator.url}/control/${channel}`;
  const read = async (response: Response) => ({
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
  });
  const post = async (path: string, body: unknown = {}) =>
    read(
      await fetch(`${base}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
  const get = async (path: string) => read(await fetch(`${base}${path}`));
  return {
    base,
    post,
    get,
    user: (name: string) => ({
      open: (body: unknown = {}) => post(`/users/${name}/open`, body),
      say: (text: string) => post(`/users/${name}/say`, { text }),
      tap: (body: unknown) => post(`/users/${name}/tap`, body),
      block: () => post(`/users/${name}/block`),
      unblock: () => post(`/users/${name}/unblock`),
      chat: async () => (await get(`/users/${name}/chat`)).body as unknown as Chat,
    }),
  };
}

export interface ReceivedHook {
  secret: string | undefined;
  body: Record<string, unknown>;
}

/** A webhook receiver that answers with the statuses given, then with 200. */
export async function startReceiver(secretHeader: string, statuses: number[]) {
  const received: ReceivedHook[] = [];
  const waiters: Array<() => void> = [];
  const server = createServer((req, res) => {
    let text = '';
    req.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
    req.on('end', () => {
      const secret = req.headers[secretHeader];
      received.push({ secret: String(secret), body: JSON.parse(text) as Record<string, unknown> });
      res.writeHead(statuses.shift() ?? 200).end();
      for (const wake of waiters.splice(0)) wake();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    async until(count: number) {
      while (received.length < count) await new Promise<void>((resolve) => waiters.push(resolve));
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What a start that must fail tells the operator. */
export async function setupErrorOf(starting: Promise<unknown>): Promise<SetupError> {
  const error: unknown = await starting.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SetupError);
  return error as SetupError;
}
