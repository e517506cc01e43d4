import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from '../../src/contract/common';
import { verifySignature as verify } from '../../sdk/typescript/src';
import { createSimulatorControl } from '../support/simulator-control';
import { startReceiver, type Receiver } from '../support/receiver';
import { createCaller, until } from './caller';
import type { ChaosFixture } from './fixture';
import type { Random } from './random';

/** What the outside has seen, to be compared with what the inside says. */
export interface Seen {
  /** Deliveries that the API has promised. */
  accepted: Set<string>;
  /** Bodies by delivery, in order of arrival. */
  received: Map<string, string[]>;
  badSignatures: number;
  /** Successful verifications by session. */
  verified: Map<string, number>;
  loginsBegun: number;
  yes: number;
  no: number;
  failedCalls(): number;
}

export interface Load {
  seen: Seen;
  /** Begins nothing new and waits for what is under way. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

const USERS = 4;

const endpoints = [
  { description: 'always well', retry_policy: 'durable', failures: 0 },
  { description: 'fails now and then', retry_policy: 'quick', failures: 0.2 },
  { description: 'express', retry_policy: 'quick', delivery_lane: 'express', failures: 0.1 },
];

/** Logins and events from many sides at once, by callers who bear with an API that is unavailable for a while. */
export async function startLoad(fixture: ChaosFixture, random: Random): Promise<Load> {
  const control = createSimulatorControl(fixture.simulator.url);
  const caller = createCaller(fixture);
  const { call } = caller;
  const seen: Seen = {
    accepted: new Set(),
    received: new Map(),
    badSignatures: 0,
    verified: new Map(),
    loginsBegun: 0,
    yes: 0,
    no: 0,
    failedCalls: () => caller.failedCalls,
  };
  let stopped = false;

  const receivers: Receiver[] = [];
  const ids: string[] = [];
  for (const { failures, ...settings } of endpoints) {
    const secrets: string[] = [];
    const receiver = await startReceiver((res, request) => {
      const id = String(request.headers['x-service-delivery-id']);
      seen.received.set(id, [...(seen.received.get(id) ?? []), request.body.toString('utf8')]);
      try {
        verify(request.body, String(request.headers['x-service-signature']), secrets);
      } catch {
        seen.badSignatures += 1;
      }
      res.statusCode = random.next() < failures ? 503 : 200;
      setTimeout(() => res.end(), 30);
    });
    receivers.push(receiver);
    const created = await until(30_000, async () => {
      const { status, body } = await call('POST', '/v1/webhooks', { url: receiver.url, ...settings });
      return status === 201 ? body : null;
    });
    if (!created) throw new Error('the API made no endpoint');
    secrets.push(String(created['secret']));
    ids.push(String(created['id']));
  }

  async function events(): Promise<void> {
    while (!stopped) {
      const { status, body } = await call('POST', `/v1/webhooks/${random.pick(ids)}/test`, {
        event: 'batch.completed',
      });
      if (status === 202) seen.accepted.add(String(body['delivery_id']));
      await sleep(120);
    }
  }

  async function login(user: string, channel: Channel): Promise<void> {
    const { status, body } = await call('POST', '/v1/auth/session', { state: user });
    if (status !== 201) return void (await sleep(300));
    seen.loginsBegun += 1;
    const session = String(body['session_id']);
    const start = new URL(String(body[`${channel}_link`])).searchParams.get('start');
    await control.open(channel, user, { start, first_name: 'Chaos' });
    const asked = await until(15_000, async () => {
      const { messages } = await control.chat(channel, user);
      return messages.find((message) => message.from === 'bot' && message.buttons.length > 0);
    });
    if (!asked) return;
    const yes = random.next() < 0.8;
    await control.tap(channel, user, { button: yes ? 0 : 1 });
    if (!yes) return void (seen.no += 1);
    seen.yes += 1;
    const code = await until(20_000, async () => {
      const answer = await call('GET', `/v1/auth/session/${session}/status?wait=2`);
      return answer.body['code'] as string | undefined;
    });
    if (!code) return;
    // Two at once: one of them must lose.
    const answers = await Promise.all([0, 1].map(() => call('POST', '/v1/auth/verify', { code })));
    const good = answers.filter((answer) => answer.status === 200).length;
    if (good > 0) seen.verified.set(session, (seen.verified.get(session) ?? 0) + good);
  }

  async function users(lane: number): Promise<void> {
    for (let turn = 0; !stopped; turn += 1) {
      const channel: Channel = (lane + turn) % 2 === 0 ? 'telegram' : 'max';
      await login(`${lane * 100_000 + turn + 1}`, channel).catch(() => undefined);
      await sleep(200);
    }
  }

  const running = [events(), events(), ...Array.from({ length: USERS }, (_, lane) => users(lane + 1))];
  return {
    seen,
    async stop() {
      stopped = true;
      await Promise.all(running);
    },
    async close() {
      await Promise.all(receivers.map((receiver) => receiver.close()));
    },
  };
}
