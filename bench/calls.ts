import { setTimeout as sleep } from 'node:timers/promises';
import type { createSimulatorControl } from '../test/support/simulator-control';

type Control = ReturnType<typeof createSimulatorControl>;

/** Calls the API; throws unless it succeeds. */
export async function call(
  url: string,
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, string>> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? {} : ((await response.json()) as Record<string, string>);
}

/** How often a person looks for the question: each look costs the process of the simulator as much as a request of Herald. */
const LOOK_MS = 15;

/** Until the bot has asked whether it is them. */
export async function untilAsked(control: Control, user: string): Promise<void> {
  while ((await control.chat('telegram', user)).messages.every(({ buttons }) => buttons.length === 0)) {
    await sleep(LOOK_MS);
  }
}

export type Step = 'create' | 'open' | 'tap to code' | 'verify';

/** Create, open, tap Yes, long polls (one, if Herald is fast), verify. Returns the session id and reports how long each step took. */
export async function completeLogin(
  url: string,
  key: string,
  control: Control,
  user: string,
  took: (step: Step, ms: number) => void = () => {},
  { verify = true } = {},
): Promise<string> {
  const timed = async <T>(step: Step, work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const result = await work();
    took(step, performance.now() - began);
    return result;
  };
  const session = await timed('create', () => call(url, key, 'POST', '/v1/auth/session', { state: 'bench' }));
  const id = session['session_id'] ?? '';
  await timed('open', async () => {
    const start = new URL(session['telegram_link'] ?? '').searchParams.get('start');
    await control.open('telegram', user, { start });
    await untilAsked(control, user);
  });
  const status = await timed('tap to code', async () => {
    const poll = () => call(url, key, 'GET', `/v1/auth/session/${id}/status?wait=25`);
    const first = poll();
    await control.tap('telegram', user, { button: 'Yes' });
    let answer = await first;
    while (answer['status'] === 'pending') answer = await poll();
    return answer;
  });
  if (verify) {
    await timed('verify', () => call(url, key, 'POST', '/v1/auth/verify', { code: status['code'] }));
  }
  return id;
}
