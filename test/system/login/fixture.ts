import type { Channel } from '../../../src/base/contract/common';
import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import type { ChatMessage, User } from '../../support/simulator-control';

export interface CreatedSession {
  session_id: string;
  telegram_link: string;
  max_link: string;
  hosted_url: string;
  qr_url: string;
  match_code: string;
  expires_in: number;
  interval: number;
}

export async function createSession(
  project: TestProject,
  body: Record<string, unknown> = {},
): Promise<CreatedSession> {
  const response = await project.api<CreatedSession>('POST', '/v1/auth/session', { state: 'st-1', ...body });
  if (response.status !== 201) throw new Error(`${response.status} ${JSON.stringify(response.body)}`);
  return response.body;
}

/** What follows `start=` in a bot link. */
export function startOf(link: string): string {
  return new URL(link).searchParams.get('start') ?? '';
}

export function linkOf(session: CreatedSession, channel: Channel): string {
  return channel === 'telegram' ? session.telegram_link : session.max_link;
}

/** Opens a session's link as a user and waits until the bot's question is there. */
export async function openAndWait(
  service: Installation,
  channel: Channel,
  user: User,
  start: string,
  profile: Record<string, unknown> = {},
): Promise<ChatMessage> {
  const before = await newestId(service, channel, user);
  await service.control.open(channel, user, { start, first_name: 'Anna', ...profile });
  return eventually(async () => {
    const { messages } = await service.control.chat(channel, user);
    return messages.find(
      (message) => message.from === 'bot' && message.buttons.length > 0 && message.message_id !== before,
    );
  });
}

async function newestId(service: Installation, channel: Channel, user: User): Promise<unknown> {
  const chat = await service.control.chat(channel, user).catch(() => ({ messages: [] as ChatMessage[] }));
  return chat.messages.filter((message) => message.buttons.length > 0).at(-1)?.message_id;
}

/** The newest message of the bot in a chat. */
export async function lastBotMessage(
  service: Installation,
  channel: Channel,
  user: User,
): Promise<ChatMessage | undefined> {
  const { messages } = await service.control.chat(channel, user);
  return messages.filter((message) => message.from === 'bot').at(-1);
}

export interface StatusBody {
  status: string;
  code?: string;
  state?: string | null;
  redirect_url?: string | null;
  reason?: string;
  expires_in: number;
  interval: number;
}

/** Reads a session's status from its row, without the pace of the polls. */
export async function statusInDatabase(service: Installation, sessionId: string): Promise<string> {
  const { rows } = await service.pool.query<{ status: string }>(
    'SELECT status FROM auth_sessions WHERE id = $1',
    [sessionId],
  );
  return rows[0]?.status ?? 'missing';
}

export async function waitForStatus(service: Installation, sessionId: string, status: string): Promise<void> {
  await eventually(async () => (await statusInDatabase(service, sessionId)) === status);
}

/** A whole login by session up to the code. */
export async function confirmedSession(
  service: Installation,
  project: TestProject,
  user: User,
  options: { channel?: Channel; body?: Record<string, unknown>; profile?: Record<string, unknown> } = {},
): Promise<{ session: CreatedSession; status: StatusBody }> {
  const channel = options.channel ?? 'telegram';
  const session = await createSession(project, options.body);
  await openAndWait(service, channel, user, startOf(linkOf(session, channel)), options.profile);
  await service.control.tap(channel, user, { button: 0 });
  await waitForStatus(service, session.session_id, 'confirmed');
  const { body } = await project.api<StatusBody>('GET', `/v1/auth/session/${session.session_id}/status`);
  return { session, status: body };
}

export interface StoredEvent {
  name: string;
  body: { event: string; data: Record<string, unknown> };
}

export async function eventsOf(service: Installation, project: TestProject): Promise<StoredEvent[]> {
  const { rows } = await service.pool.query<{ name: string; body: string }>(
    'SELECT name, body FROM events WHERE project_id = $1 ORDER BY created_at, name',
    [project.id],
  );
  return rows.map(({ name, body }) => ({ name, body: JSON.parse(body) as StoredEvent['body'] }));
}

/** Copies an open session, as if it had been begun without a key from one network that many times. Returns the ids. */
export async function copySession(
  service: Pick<Installation, 'pool'>,
  sessionId: string,
  { count, site }: { count: number; site: string },
): Promise<string[]> {
  const columns = await service.pool.query<{ names: string }>(
    `SELECT string_agg(quote_ident(column_name), ', ') AS names FROM information_schema.columns
     WHERE table_name = 'auth_sessions' AND is_generated = 'NEVER'
       AND column_name NOT IN ('id', 'start_hash', 'hosted_hash', 'created_at', 'site', 'number')`,
  );
  const names = columns.rows[0]?.names;
  const { rows } = await service.pool.query<{ id: string }>(
    `INSERT INTO auth_sessions (id, start_hash, hosted_hash, created_at, site, ${names})
     SELECT gen_random_uuid(), sha256(gen_random_uuid()::text::bytea), sha256(gen_random_uuid()::text::bytea),
       clock_timestamp(), $3, ${names}
     FROM auth_sessions, generate_series(1, $2::int) WHERE id = $1 RETURNING id`,
    [sessionId, count, site],
  );
  return rows.map(({ id }) => id);
}
