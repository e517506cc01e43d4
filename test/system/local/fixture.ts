import { SetupError } from '../../../src/local/setup-error';
import type { Simulator } from '../../../src/local/simulator';
import type { Chat } from '../../support/simulator-control';

/** The control API of one channel as it is: what it refuses is an answer, too. */
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
      say: (text: string, extras: object = {}) => post(`/users/${name}/say`, { text, ...extras }),
      sendFile: (body: unknown) => post(`/users/${name}/send-file`, body),
      miniApp: (start: string) => post(`/users/${name}/mini-app`, { start }),
      tap: (body: unknown) => post(`/users/${name}/tap`, body),
      block: () => post(`/users/${name}/block`),
      unblock: () => post(`/users/${name}/unblock`),
      chat: async () => (await get(`/users/${name}/chat`)).body as unknown as Chat,
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
