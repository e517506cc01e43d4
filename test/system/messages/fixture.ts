import { randomBytes } from 'node:crypto';
import type { Channel } from '../../../src/base/contract/common';
import type { EventName } from '../../../src/domains/events/contract';
import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';

export interface Person {
  name: string;
  channel: Channel;
  subscriberId: string;
}

export const freshName = (prefix = 'user') => `${prefix}-${randomBytes(5).toString('hex')}`;

/** A user opens the project's subscribe link, and is a subscriber then. */
export async function subscribePerson(
  service: Installation,
  project: TestProject,
  channel: Channel = 'telegram',
  about: Record<string, unknown> = {},
): Promise<Person> {
  const name = freshName();
  await service.control.open(channel, name, { start: `proj_${project.slug}`, first_name: name, ...about });
  const subscriberId = await eventually(async () => {
    const { rows } = await service.pool.query<{ id: string }>(
      'SELECT id FROM subscribers WHERE project_id = $1 AND channel = $2 AND first_name = $3',
      [project.id, channel, about['first_name'] ?? name],
    );
    return rows[0]?.id;
  });
  // The bot's own greeting comes after the row: a test that counts messages waits for it.
  await eventually(async () => (await botMessages(service, { name, channel, subscriberId })).length > 0);
  return { name, channel, subscriberId };
}

export interface EmittedEvent {
  name: EventName;
  data: Record<string, unknown>;
}

/** What the project's endpoints would be told, in order. */
export async function eventsOf(
  service: Installation,
  project: TestProject,
  ...names: EventName[]
): Promise<EmittedEvent[]> {
  const { rows } = await service.pool.query<{ name: EventName; body: string }>(
    `SELECT name, body FROM events WHERE project_id = $1 AND (cardinality($2::text[]) = 0 OR name = ANY ($2))
     ORDER BY created_at, id`,
    [project.id, names],
  );
  return rows.map(({ name, body }) => ({ name, data: (JSON.parse(body) as EmittedEvent).data }));
}

export async function botMessages(service: Installation, { channel, name }: Person) {
  const { messages } = await service.control.chat(channel, name);
  return messages.filter((message) => message.from === 'bot');
}

export async function textsTo(service: Installation, person: Person): Promise<string[]> {
  return (await botMessages(service, person)).map((message) => message.text);
}

/** The person blocks the bot, and Herald has recorded it. */
export async function blockBot(service: Installation, project: TestProject, person: Person): Promise<void> {
  const deletions = async () =>
    (await eventsOf(service, project, 'subscription.deleted')).filter(
      ({ data }) => data['subscriber_id'] === person.subscriberId,
    ).length;
  const before = await deletions();
  await service.control.block(person.channel, person.name);
  await eventually(async () => (await deletions()) > before);
}

/** For services that are to run out of credits: their grace period is over as soon as it begins. */
export const withoutGrace = { HERALD_GRACE_HOURS: '0' };

/** The project's credits and its grace period are used up. */
export async function blockBilling(service: Installation, project: TestProject): Promise<void> {
  await service.pool.query(
    `INSERT INTO credit_months (project_id, month, used)
     VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC'), 100000)`,
    [project.id],
  );
  await service.pool.query(
    'UPDATE projects SET purchased_credits = 0, grace_started_at = now() WHERE id = $1',
    [project.id],
  );
}

export async function liftBillingBlock(service: Installation, project: TestProject): Promise<void> {
  await service.pool.query('UPDATE projects SET purchased_credits = 100 WHERE id = $1', [project.id]);
}

/** Many subscribers at once, who are there in the simulator and only count what they get. */
export async function addCrowd(
  service: Installation,
  project: { id: string },
  channel: Channel,
  count: number,
): Promise<{ from: number }> {
  const { from } = await service.control.addUsers(channel, { count });
  await service.pool.query(
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
     SELECT $1, $2, n::text, $5 || n, 'Crowd', 'en' FROM generate_series($3::bigint, $3::bigint + $4 - 1) AS n`,
    // On MAX a chat has another number than its user, and a user can be written to as well.
    [project.id, channel, from, count, channel === 'max' ? 'user:' : ''],
  );
  return { from };
}

export interface BroadcastRecord {
  job_id: string;
  status: string;
  total_subscribers: number;
  sent: number;
  failed: number;
  skipped: number;
  remaining: number;
  possible_duplicates: number;
  started_at: string | null;
  ended_at: string | null;
}

export function untilBroadcast(
  project: TestProject,
  jobId: string,
  status: string,
  limitMs?: number,
): Promise<BroadcastRecord> {
  return eventually(async () => {
    const { body } = await project.api<BroadcastRecord>('GET', `/v1/broadcast/${jobId}`);
    if (body.status !== status) throw new Error(`the broadcast is ${JSON.stringify(body)}`);
    return body;
  }, limitMs);
}
