import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Channel } from '../../src/base/contract/common';
import { verifySignature as verify } from '../../sdk/typescript/src';
import { createSimulatorControl } from '../support/simulator-control';
import { startReceiver, type Receiver } from '../support/receiver';
import { createCaller, newCallCounts, until, type Answer, type CallCounts, type Caller } from './caller';
import { dripChains, recurringMessages, scheduledMessages } from './domains/campaigns';
import type { Domain, DomainContext, Person } from './domains/domain';
import { openIdLogins } from './domains/openid';
import type { ChaosFixture, ChaosProject } from './fixture';
import { seeded, type Random } from './random';

/** What the outside has seen, to be compared with what the inside says. */
export interface Seen {
  /** Deliveries that the API has promised. */
  accepted: Set<string>;
  /** Requests by delivery, in order of arrival. */
  received: Map<string, Arrival[]>;
  badSignatures: number;
  /** Successful verifications by session. */
  verified: Map<string, number>;
  loginsBegun: number;
  yes: number;
  no: number;
  calls: CallCounts;
  /** From the tap to the code, in milliseconds. */
  confirmedAfter: number[];
}

export interface Arrival {
  body: string;
  at: number;
  status: number;
}

export interface Load {
  seen: Seen;
  domains: Domain[];
  /** A further endpoint, of any project; what it receives is seen as well. */
  addEndpoint(caller: Caller): Promise<string>;
  /** Receivers take requests and answer none of them. */
  hang(isHanging: boolean): void;
  /** Begins nothing new and waits for what is under way. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export interface LoadOptions {
  /** Users who log in at the same time. */
  users?: number;
  /** Between two events of each of two publishers. */
  eventPauseMs?: number;
  /** Whether events are added at the moment. */
  mayAdd?: () => boolean;
  /** With drip chains, scheduled and recurring messages and OpenID Connect; needs the database to create people. */
  domains?: pg.Pool;
}

const ENDPOINT_PATIENCE_MS = 30_000;
/** How long users keep trying after the stop if none of them has confirmed a login. */
const LAST_LOGIN_MS = 60_000;
const PEOPLE = 6;

const endpoints = [
  { description: 'always well', retry_policy: 'durable', failures: 0 },
  { description: 'fails now and then', retry_policy: 'quick', failures: 0.2 },
  { description: 'express', retry_policy: 'quick', delivery_lane: 'express', failures: 0.1 },
  { description: 'auto', retry_policy: 'durable', delivery_lane: 'auto', failures: 0 },
];

/** Logins and events from many sides at once, by callers who bear with an API that is unavailable for a while. */
export async function startLoad(
  fixture: ChaosFixture,
  random: Random,
  { users: userCount = 4, eventPauseMs = 120, mayAdd = () => true, domains: pool }: LoadOptions = {},
): Promise<Load> {
  const { apiUrl, simulator, receiverHost } = fixture;
  const control = createSimulatorControl(simulator.url);
  const seen: Seen = {
    accepted: new Set(),
    received: new Map(),
    badSignatures: 0,
    verified: new Map(),
    loginsBegun: 0,
    yes: 0,
    no: 0,
    calls: newCallCounts(),
    confirmedAfter: [],
  };
  let stopped = false;
  let usersUntil = 0;
  let isHanging = false;
  const api = createCaller(fixture, seen.calls);

  const receivers: Receiver[] = [];
  async function createEndpoint(
    caller: Caller,
    { failures, ...settings }: (typeof endpoints)[number],
  ): Promise<string> {
    const secrets: string[] = [];
    const receiver = await startReceiver(
      (res, request) => {
        const id = String(request.headers['x-service-delivery-id']);
        const status = isHanging ? 0 : random.next() < failures ? 503 : 200;
        const arrival = { body: request.body.toString('utf8'), at: Date.now(), status };
        seen.received.set(id, [...(seen.received.get(id) ?? []), arrival]);
        try {
          verify(request.body, String(request.headers['x-service-signature']), secrets);
        } catch {
          seen.badSignatures += 1;
        }
        if (status === 0) return;
        res.statusCode = status;
        setTimeout(() => res.end(), 30);
      },
      { tls: receiverHost !== undefined },
    );
    receivers.push(receiver);
    const url = receiverHost === undefined ? receiver.url : receiver.url.replace('127.0.0.1', receiverHost);
    let last: Answer | undefined;
    const created = await until(ENDPOINT_PATIENCE_MS, async () => {
      last = await caller.call('POST', '/v1/webhooks', { url, ...settings });
      return last.status === 201 ? last.body : null;
    });
    if (!created) throw new Error(`the API made no endpoint: ${JSON.stringify(last)}`);
    secrets.push(String(created['secret']));
    return String(created['id']);
  }

  const ids: string[] = [];
  for (const settings of endpoints) ids.push(await createEndpoint(api, settings));

  async function events(): Promise<void> {
    while (!stopped) {
      await sleep(eventPauseMs);
      if (!mayAdd()) continue;
      const { status, body } = await api.call('POST', `/v1/webhooks/${random.pick(ids)}/test`, {
        event: 'batch.completed',
      });
      if (status === 202) seen.accepted.add(String(body['delivery_id']));
    }
  }

  async function login(user: string, channel: Channel): Promise<void> {
    const { status, body } = await api.call('POST', '/v1/auth/session', { state: user });
    if (status !== 201) return sleep(300);
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
    const tapped = Date.now();
    await control.tap(channel, user, { button: yes ? 0 : 1 });
    if (!yes) return void (seen.no += 1);
    seen.yes += 1;
    const code = await until(20_000, async () => {
      const answer = await api.call('GET', `/v1/auth/session/${session}/status?wait=2`);
      return answer.body['code'] as string | undefined;
    });
    if (!code) return;
    seen.confirmedAfter.push(Date.now() - tapped);
    // Two at once: one of them must lose.
    const answers = await Promise.all([0, 1].map(() => api.call('POST', '/v1/auth/verify', { code })));
    const good = answers.filter((answer) => answer.status === 200).length;
    if (good > 0) seen.verified.set(session, (seen.verified.get(session) ?? 0) + good);
  }

  /** Goes on until one user said yes: the faults may have left no time for any. */
  async function users(lane: number): Promise<void> {
    for (let turn = 0; !stopped || (seen.yes === 0 && Date.now() < usersUntil); turn += 1) {
      const channel: Channel = (lane + turn) % 2 === 0 ? 'telegram' : 'max';
      await login(`${lane * 100_000 + turn + 1}`, channel).catch(() => undefined);
      await sleep(200);
    }
  }

  async function useDomain(domain: Domain): Promise<void> {
    for (let turn = 1; !stopped; turn += 1) {
      if (mayAdd()) await domain.use(turn).catch(() => undefined);
      await sleep(domain.pauseMs);
    }
  }

  async function startDomains(db: pg.Pool, project: ChaosProject): Promise<Domain[]> {
    const caller = createCaller({ apiUrl, apiKey: project.apiKey }, seen.calls);
    // Its events are delivered as well.
    await createEndpoint(caller, { description: 'all domains', retry_policy: 'durable', failures: 0 });
    const people: Person[] = [];
    for (let number = 1; number <= PEOPLE; number += 1) {
      const user = `person-${number}`;
      await control.open('telegram', user, { start: `proj_${project.slug}`, first_name: user });
      const subscriberId = await until(ENDPOINT_PATIENCE_MS, async () => {
        const { rows } = await db.query<{ id: string }>(
          'SELECT id FROM subscribers WHERE project_id = $1 AND first_name = $2',
          [project.id, user],
        );
        return rows[0]?.id;
      });
      if (subscriberId === null) throw new Error('no one could subscribe');
      people.push({ user, subscriberId });
    }
    const context: DomainContext = { api: caller, apiUrl, project, control, people, random: seeded(7) };
    return [
      scheduledMessages(context),
      await dripChains(context),
      await recurringMessages(context, db),
      await openIdLogins(context),
    ];
  }

  const domains = pool ? await startDomains(pool, fixture.domainProject) : [];
  const running = [
    events(),
    events(),
    ...Array.from({ length: userCount }, (_, lane) => users(lane + 1)),
    ...domains.map(useDomain),
  ];
  return {
    seen,
    domains,
    addEndpoint: (caller) =>
      createEndpoint(caller, { description: 'further', retry_policy: 'durable', failures: 0 }),
    hang(hanging) {
      isHanging = hanging;
    },
    async stop() {
      usersUntil = Date.now() + LAST_LOGIN_MS;
      stopped = true;
      await Promise.all(running);
      for (const domain of domains) await domain.finish();
    },
    async close() {
      usersUntil = 0;
      stopped = true;
      await Promise.all(receivers.map((receiver) => receiver.close()));
    },
  };
}
