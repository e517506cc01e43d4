import pino from 'pino';
import tablesOfRooms from '../../../src/base/db/migrations/tables.json';
import { removalsOf, retentions, type Retention, type TableEnd } from '../../../src/base/db/retention';
import { runRetention } from '../../../src/process/operations/retention';
import { registerDomains } from '../../../src/process/roles/domains';
import { createTestDatabase, type TestDatabase } from '../../support/database';

/** At least one row in every table that grows, as of now. */
const ROWS = `
  INSERT INTO projects (id, slug, name) VALUES ('00000000-0000-0000-0000-0000000000a1', 'kept', 'Kept');
  INSERT INTO api_keys (id, project_id, hash, hint, revoked_at)
    VALUES ('00000000-0000-0000-0000-0000000000a2', '00000000-0000-0000-0000-0000000000a1', 'k', 'hk_', now());
  INSERT INTO dashboard_sessions (hash, key_id, expires_at)
    VALUES ('d', '00000000-0000-0000-0000-0000000000a2', now() + interval '1 hour');
  INSERT INTO request_counters (key, points, expire) VALUES ('x', 1, extract(epoch FROM now()) * 1000);
  INSERT INTO subscribers (id, project_id, channel, platform_user_id, chat_id, first_name, lang)
    VALUES ('00000000-0000-0000-0000-0000000000a3', '00000000-0000-0000-0000-0000000000a1', 'telegram', '1', '1', 'A', 'en');
  INSERT INTO subscribe_links (id, project_id, token_hash, token_sealed, tags, permissions, expires_at, created_at)
    VALUES ('00000000-0000-0000-0000-0000000000b1', '00000000-0000-0000-0000-0000000000a1', 'l', 's', '{}', '{}', now(), now());
  INSERT INTO bot_updates (channel, dedupe_key, chat_queue, handled_at) VALUES ('telegram', '1', '', now());
  INSERT INTO bot_updates (channel, dedupe_key, chat_queue, set_aside_at) VALUES ('telegram', '2', 'user:1', now());
  INSERT INTO auth_sessions (id, project_id, flow, status, expires_at)
    VALUES ('00000000-0000-0000-0000-0000000000a4', '00000000-0000-0000-0000-0000000000a1', 'session', 'consumed', now());
  INSERT INTO auth_prompts (session_id, nonce_hash, channel, chat_id, platform_user_id, update_id)
    VALUES ('00000000-0000-0000-0000-0000000000a4', 'n', 'telegram', '1', '1', 1);
  INSERT INTO auth_answers (update_id, session_id, answer, first_name, received_at, prompt_id)
    VALUES (1, '00000000-0000-0000-0000-0000000000a4', 'yes', 'A', now(), 1);
  INSERT INTO auth_request_recipients (session_id, subscriber_id, created_at)
    VALUES ('00000000-0000-0000-0000-0000000000a4', '00000000-0000-0000-0000-0000000000a3', now());
  INSERT INTO auth_polls (session_id, polled_at) VALUES ('00000000-0000-0000-0000-0000000000a4', now());
  INSERT INTO auth_openings (channel, platform_user_id, update_id) VALUES ('telegram', '1', 1);
  INSERT INTO oidc_clients (id, project_id, name, type, redirect_uris, post_logout_redirect_uris, id_token_alg, device)
    VALUES ('00000000-0000-0000-0000-0000000000b1', '00000000-0000-0000-0000-0000000000a1', 'A', 'public', '{}', '{}', 'RS256',
      false);
  INSERT INTO oidc_client_secrets (id, client_id, hash, expires_at)
    VALUES ('00000000-0000-0000-0000-0000000000b2', '00000000-0000-0000-0000-0000000000b1', 'h', now() + interval '1 hour');
  INSERT INTO oidc_keys (id, alg, sealed, expires_at)
    VALUES ('00000000-0000-0000-0000-0000000000b3', 'RS256', 's', now() + interval '1 hour');
  INSERT INTO oidc_records (model, id_hash, payload, expires_at) VALUES ('AccessToken', 'a', '{}', now());
  INSERT INTO oidc_logins (session_id, project_id, client_id, interaction)
    VALUES ('00000000-0000-0000-0000-0000000000a4', '00000000-0000-0000-0000-0000000000a1',
      '00000000-0000-0000-0000-0000000000b1', 'i');
  INSERT INTO chat_pace (chat, bot, next_at) VALUES (1, 'telegram', now() + interval '1 hour');
  INSERT INTO bot_turns (bot, urgent, project_id, served, waiting_until)
    VALUES ('telegram', true, '00000000-0000-0000-0000-0000000000a1', 0, now() + interval '1 hour');
  INSERT INTO credit_ledger (session_id, project_id, source)
    VALUES ('00000000-0000-0000-0000-0000000000a4', '00000000-0000-0000-0000-0000000000a1', 'plan');
  INSERT INTO credit_months (project_id, month, used) VALUES ('00000000-0000-0000-0000-0000000000a1', now(), 1);
  INSERT INTO endpoints (id, project_id, url, retry_policy, deleted_at)
    VALUES ('00000000-0000-0000-0000-0000000000a5', '00000000-0000-0000-0000-0000000000a1', 'https://x', 'quick', now());
  INSERT INTO endpoint_secrets (endpoint_id, sealed, expires_at)
    VALUES ('00000000-0000-0000-0000-0000000000a5', 's', now() + interval '1 hour');
  INSERT INTO endpoint_hours (endpoint_id, hour, succeeded, failed, latency, last_at)
    VALUES ('00000000-0000-0000-0000-0000000000a5', now(), 1, 0, '{1}', now());
  INSERT INTO events (id, project_id, name, body)
    VALUES ('00000000-0000-0000-0000-0000000000a6', '00000000-0000-0000-0000-0000000000a1', 'auth.completed', '{}');
  INSERT INTO accounts (id, channel, platform_user_id, chat_id, first_name, lang)
    VALUES ('00000000-0000-0000-0000-0000000000b1', 'telegram', '1', '1', 'A', 'en');
  INSERT INTO invitations (project_id, role, token_hash, token_sealed, expires_at)
    VALUES ('00000000-0000-0000-0000-0000000000a1', 'viewer', 't', 't', now() + interval '7 days');
  INSERT INTO audit_entries (project_id, actor_type, action)
    VALUES ('00000000-0000-0000-0000-0000000000a1', 'cli', 'project.updated');
  INSERT INTO members (id, project_id, account_id, role)
    VALUES ('00000000-0000-0000-0000-0000000000b1', '00000000-0000-0000-0000-0000000000a1',
      '00000000-0000-0000-0000-0000000000b1', 'owner');
  INSERT INTO member_notices (member_id, event_id)
    VALUES ('00000000-0000-0000-0000-0000000000b1', '00000000-0000-0000-0000-0000000000a6');
  INSERT INTO tracked_events (id, project_id, subscriber_id, event_id, name, properties, occurred_at)
    VALUES ('00000000-0000-0000-0000-0000000000b1', '00000000-0000-0000-0000-0000000000a1',
      '00000000-0000-0000-0000-0000000000a3', 'e', 'visit', '{}', now());
  INSERT INTO published_ids (project_id, id, event_id)
    VALUES ('00000000-0000-0000-0000-0000000000a1', 'p', '00000000-0000-0000-0000-0000000000a6');
  INSERT INTO event_erasures (event_id, erasure_id, check_at)
    VALUES ('00000000-0000-0000-0000-0000000000a6', '00000000-0000-0000-0000-0000000000a3', now());
  INSERT INTO event_words (event_id, project_id, created_at, words)
    VALUES ('00000000-0000-0000-0000-0000000000a6', '00000000-0000-0000-0000-0000000000a1', now(), 'word');
  INSERT INTO deliveries (id, project_id, endpoint_id, event_id, event_name, policy, status, ended_at)
    VALUES ('00000000-0000-0000-0000-0000000000a7', '00000000-0000-0000-0000-0000000000a1',
      '00000000-0000-0000-0000-0000000000a5', '00000000-0000-0000-0000-0000000000a6', 'auth.completed', 'quick', 'failed',
      now());
  INSERT INTO delivery_queue (delivery_id, endpoint_id, project_id, is_first, needs_slot)
    VALUES ('00000000-0000-0000-0000-0000000000a7', '00000000-0000-0000-0000-0000000000a5',
      '00000000-0000-0000-0000-0000000000a1', false, false);
  INSERT INTO delivery_retries (delivery_id, request_id) VALUES ('00000000-0000-0000-0000-0000000000a7', gen_random_uuid());
  INSERT INTO attempts (delivery_id, number, requested) VALUES ('00000000-0000-0000-0000-0000000000a7', 1, false);
  INSERT INTO messages (id, project_id, request_id, subscriber_id, channel, source, status)
    VALUES ('00000000-0000-0000-0000-0000000000a8', '00000000-0000-0000-0000-0000000000a1', gen_random_uuid(),
      '00000000-0000-0000-0000-0000000000a3', 'telegram', 'send', 'sent');
  INSERT INTO idempotency_keys (project_id, key, request_hash) VALUES ('00000000-0000-0000-0000-0000000000a1', 'i', 'h');
  INSERT INTO otp_codes (subscriber_id, purpose, code_hash, max_attempts)
    VALUES ('00000000-0000-0000-0000-0000000000a3', 'login', 'c', 3);
  INSERT INTO button_clicks (update_id, delivery_id, subscriber_id, clicked_at)
    VALUES (1, '00000000-0000-0000-0000-0000000000a8', '00000000-0000-0000-0000-0000000000a3', now());
  INSERT INTO broadcasts (id, project_id, status, content, audience, ended_at)
    VALUES ('00000000-0000-0000-0000-0000000000a9', '00000000-0000-0000-0000-0000000000a1', 'completed', '{}', '{}', now());
  INSERT INTO imports (id, project_id, dry_run, columns, is_stored)
    VALUES ('00000000-0000-0000-0000-0000000000b1', '00000000-0000-0000-0000-0000000000a1', false, '{external_id}', true);
  INSERT INTO import_chunks (import_id, first_row, rows) VALUES ('00000000-0000-0000-0000-0000000000b1', 1, '[]');
  INSERT INTO scheduled (id, project_id, content, scheduled_at, status, ended_at)
    VALUES ('00000000-0000-0000-0000-0000000000b1', '00000000-0000-0000-0000-0000000000a1', '{}', 'x', 'sent', now());
  INSERT INTO scheduled_results (scheduled_id, subscriber_id, status)
    VALUES ('00000000-0000-0000-0000-0000000000b1', '00000000-0000-0000-0000-0000000000a3', 'sent');
  INSERT INTO recurring (id, project_id, name, content, audience, cron, timezone, status, ended_at)
    VALUES ('00000000-0000-0000-0000-0000000000b2', '00000000-0000-0000-0000-0000000000a1', 'R', '{}', '{}', '* * * * *',
      'UTC', 'ended', now());
  INSERT INTO recurring_runs (recurring_id, scheduled_for, local_time, status)
    VALUES ('00000000-0000-0000-0000-0000000000b2', now(), 'x', 'completed');
  INSERT INTO drip_chains (id, project_id, name, trigger, reentry, status, deleted_at)
    VALUES ('00000000-0000-0000-0000-0000000000b3', '00000000-0000-0000-0000-0000000000a1', 'D', '{}', 'once', 'active', now());
  INSERT INTO drip_versions (drip_id, version, steps) VALUES ('00000000-0000-0000-0000-0000000000b3', 1, '[]');
  INSERT INTO drip_entrants (drip_id, subscriber_id)
    VALUES ('00000000-0000-0000-0000-0000000000b3', '00000000-0000-0000-0000-0000000000a3');
  INSERT INTO drip_enrolments (id, project_id, drip_id, version, subscriber_id, status, ended_at)
    VALUES ('00000000-0000-0000-0000-0000000000b4', '00000000-0000-0000-0000-0000000000a1',
      '00000000-0000-0000-0000-0000000000b3', 1, '00000000-0000-0000-0000-0000000000a3', 'completed', now());
  INSERT INTO drip_steps (enrolment_id, drip_id, n, version, step_id)
    VALUES ('00000000-0000-0000-0000-0000000000b4', '00000000-0000-0000-0000-0000000000b3', 1, 1, 's');
  INSERT INTO tickets (id, project_id, number, status, priority, source, virtual, closed_at)
    VALUES ('00000000-0000-0000-0000-0000000000b7', '00000000-0000-0000-0000-0000000000a1', 1, 'closed', 'normal', 'api', true,
      now());
  INSERT INTO ticket_messages (id, ticket_id, sender, text)
    VALUES (gen_random_uuid(), '00000000-0000-0000-0000-0000000000b7', 'customer', 'Hello');
  INSERT INTO ticket_chats (channel, bot, platform_user_id) VALUES ('telegram', 'telegram', '1');
  INSERT INTO ticket_kept_messages (update_id, channel, bot, platform_user_id, message, received_at)
    VALUES (1, 'telegram', 'telegram', '1', '{}', now());
  INSERT INTO forms (id, project_id, name, fields, routes, allowed_origins, min_seconds, signing_sealed, status, deleted_at)
    VALUES ('00000000-0000-0000-0000-0000000000b5', '00000000-0000-0000-0000-0000000000a1', 'F', '[]', '[]', '{}', 0, 's',
      'active', now());
  INSERT INTO form_submissions (id, project_id, form_id, status, answers, source)
    VALUES ('00000000-0000-0000-0000-0000000000b6', '00000000-0000-0000-0000-0000000000a1',
      '00000000-0000-0000-0000-0000000000b5', 'new', '{}', 'web');
  INSERT INTO submission_routes (submission_id, index, route) VALUES ('00000000-0000-0000-0000-0000000000b6', 0, '{}');
  INSERT INTO form_drafts (bot, channel, platform_user_id, form_id, submission_id, update_id, expires_at)
    VALUES ('telegram', 'telegram', '1', '00000000-0000-0000-0000-0000000000b5', gen_random_uuid(), 1,
      now() + interval '1 hour');
  INSERT INTO media_uploads (channel, bot_id, content_key, reference, type) VALUES ('max', '1', 'k', 't', 'video');
  INSERT INTO broadcast_recipients (broadcast_id, subscriber_id, channel, status)
    VALUES ('00000000-0000-0000-0000-0000000000a9', '00000000-0000-0000-0000-0000000000a3', 'telegram', 'sent');`;

describe('retention', () => {
  let database: TestDatabase;
  let rooms: { room: string; tables: Retention }[];
  let tableEnds: Record<string, TableEnd[]>;
  beforeAll(async () => {
    registerDomains();
    rooms = retentions.entries().map(({ room, tables }) => ({ room, tables: tables(30) }));
    const ends = rooms.flatMap(({ tables }) => Object.entries(tables));
    tableEnds = Object.fromEntries(ends.map(([table, end]) => [table, [end].flat()]));
    database = await createTestDatabase();
    await database.pool.query(ROWS);
  });
  afterAll(() => database.drop());

  const run = (days = 30) =>
    runRetention({
      pool: database.pool,
      config: { HERALD_RETENTION_DAYS: days, HERALD_SUBSCRIBER_ID_FORMAT: 'uuid' },
      log: pino({ level: 'silent' }),
    });

  async function allTables(): Promise<string[]> {
    const { rows } = await database.pool.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables
       WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  }

  /** Moves every time in the table into the past, as if the rows had been written then. */
  async function age(table: string, days: number): Promise<void> {
    const { rows } = await database.pool.query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name = $1 AND data_type IN ('date', 'timestamp with time zone')
         AND is_generated = 'NEVER'`,
      [table],
    );
    const moves = rows.map(({ name }) => `${name} = ${name} - interval '${days} days'`);
    if (table === 'request_counters') moves.push(`expire = expire - ${days} * 86400000::bigint`);
    if (moves.length > 0) await database.pool.query(`UPDATE ${table} SET ${moves.join(', ')}`);
  }

  async function rowCounts(): Promise<Record<string, number>> {
    const names = Object.keys(tableEnds).filter((name) =>
      tableEnds[name]?.every((end) => !('bounded' in end)),
    );
    const counts: Record<string, number> = {};
    for (const name of names) {
      const { rows } = await database.pool.query<{ n: number }>(`SELECT count(*) AS n FROM ${name}`);
      counts[name] = rows[0]?.n ?? -1;
    }
    return counts;
  }

  it('removes what a request that died has left of a batch, when no other can complete it', async () => {
    const [old, young] = ['00000000-0000-0000-0000-0000000000c1', '00000000-0000-0000-0000-0000000000c2'];
    await database.pool.query(
      `INSERT INTO broadcasts (id, project_id, kind, content, audience, copied_id, created_at)
       SELECT id, '00000000-0000-0000-0000-0000000000a1', 'batch', '{}', '{}', id, now() - age
       FROM (VALUES ($1::uuid, interval '2 days'), ($2::uuid, interval '1 hour')) AS given (id, age)`,
      [old, young],
    );
    await database.pool.query(
      `INSERT INTO broadcast_recipients (broadcast_id, subscriber_id, channel)
       SELECT id, '00000000-0000-0000-0000-0000000000a3', 'telegram' FROM broadcasts WHERE copied_id IS NOT NULL`,
    );
    await database.pool.query(
      `INSERT INTO imports (id, project_id, dry_run, columns, created_at)
       SELECT id, project_id, false, '{}', created_at FROM broadcasts WHERE copied_id IS NOT NULL`,
    );
    await run();
    const imports = await database.pool.query(`DELETE FROM imports WHERE NOT is_stored RETURNING id`);
    expect(imports.rows).toEqual([{ id: young }]);
    const left = await database.pool.query<{ id: string }>(
      `SELECT b.id FROM broadcasts b JOIN broadcast_recipients r ON r.broadcast_id = b.id WHERE b.copied_id IS NOT NULL`,
    );
    expect(left.rows).toEqual([{ id: young }]);
    const { rowCount } = await database.pool.query('SELECT 1 FROM broadcasts WHERE id = $1', [old]);
    expect(rowCount).toBe(0);
    await database.pool.query('DELETE FROM broadcasts WHERE id = $1', [young]);
  });

  it('is declared by its room for every table, or the reason why the table does not grow', async () => {
    const declared = rooms.map(({ room, tables }) => [room, Object.keys(tables).sort()]);
    expect(Object.fromEntries(declared)).toEqual(tablesOfRooms);
    expect(await allTables()).toEqual(Object.keys(tableEnds).sort());
  });

  it('of a part is a foreign key that deletes it with the whole', async () => {
    const { rows } = await database.pool.query<{ part: string }>(
      `SELECT conrelid::regclass || ' with ' || confrelid::regclass AS part FROM pg_constraint
       WHERE contype = 'f' AND confdeltype = 'c'`,
    );
    const declared = Object.entries(tableEnds).flatMap(([table, ends]) =>
      ends.flatMap((end) => ('with' in end ? [`${table} with ${end.with}`] : [])),
    );
    expect(rows.map(({ part }) => part)).toEqual(expect.arrayContaining(declared));
  });

  it.each([
    'chat_pace',
    'bot_turns',
    'api_keys',
    'credit_months',
    'endpoint_secrets',
    'drip_entrants',
    'scheduled_results',
  ])('finds what is old in %s by an index', async (table) => {
    const client = await database.pool.connect();
    // Then a scan is planned only where there is no other way.
    await client.query('SET enable_seqscan = off');
    let plan = '';
    const explaining = {
      async query({ text, values }: { text: string; values: unknown[] }) {
        const { rows } = await client.query<Record<string, string>>(`EXPLAIN ${text}`, values);
        plan += rows.map((row) => row['QUERY PLAN']).join('\n');
        return { rows: [], rowCount: 0 };
      },
    };
    const removals = rooms.flatMap(({ tables }) => removalsOf(explaining as never, tables));
    for (const { next } of removals.filter(({ name }) => name === table)) await next();
    client.release(true);
    expect(plan).toMatch(/Index/);
    expect(plan).not.toMatch(/Seq Scan/);
  });

  it('keeps new rows and deletes old ones, in every table that grows', async () => {
    const before = await rowCounts();
    expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([]);
    await run();
    expect(await rowCounts()).toEqual(before);

    for (const table of await allTables()) await age(table, 500);
    await run();
    expect((await rowCounts())['member_notices']).toBe(0);
    // The project removes its member, whose account then has no team.
    await database.pool.query('DELETE FROM members');
    await run();
    const left = Object.entries(await rowCounts()).filter(([, count]) => count > 0);
    expect(left).toEqual([]);
  });

  it('keeps events with an open delivery, or one that ended within the time', async () => {
    await database.pool.query(
      `WITH endpoint AS (
         INSERT INTO endpoints (project_id, url, retry_policy)
         SELECT id, 'https://y', 'quick' FROM projects RETURNING id, project_id
       ), event AS (
         INSERT INTO events (project_id, name, body, created_at)
         SELECT project_id, name, '{}', now() - interval '40 days'
         FROM endpoint, unnest(ARRAY['open', 'late', 'ended', 'partly']) AS name RETURNING id, project_id, name
       )
       INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy, status, ended_at)
       SELECT event.project_id, endpoint.id, event.id, event.name, 'quick', given.status,
         now() - make_interval(days => given.days)
       FROM endpoint, event JOIN (VALUES ('open', 'pending', NULL), ('late', 'failed', 20), ('ended', 'failed', 31),
         ('partly', 'succeeded', 40), ('partly', 'pending', NULL)) AS given (name, status, days) ON given.name = event.name`,
    );
    await run();
    const { rows } = await database.pool.query<{ name: string }>('SELECT name FROM events ORDER BY name');
    expect(rows.map(({ name }) => name)).toEqual(['late', 'open', 'partly']);
  });

  it('cancels what a removed project has left open, and deletes it after its time', async () => {
    const left = async () => {
      const { rows } = await database.pool.query<{ status: string }>(
        `SELECT status FROM deliveries WHERE event_name LIKE 'left.%' ORDER BY event_name`,
      );
      return rows.map(({ status }) => status);
    };
    await database.pool.query(
      `WITH event AS (
         INSERT INTO events (project_id, name, body, created_at)
         SELECT gen_random_uuid(), name, '{}', now() - interval '40 days'
         FROM unnest(ARRAY['left.queued', 'left.retrying']) AS name RETURNING id, project_id, name
       ), delivery AS (
         INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy)
         SELECT project_id, gen_random_uuid(), id, name, 'quick' FROM event RETURNING id, project_id, endpoint_id, event_name
       )
       INSERT INTO delivery_queue (delivery_id, endpoint_id, project_id, is_first)
       SELECT id, endpoint_id, project_id, true FROM delivery WHERE event_name = 'left.queued'`,
    );
    await database.pool.query(
      `UPDATE deliveries SET attempts = 1, started = true WHERE event_name = 'left.retrying'`,
    );
    await run();
    expect(await left()).toEqual(['cancelled', 'cancelled']);
    await database.pool.query(
      `UPDATE deliveries SET ended_at = now() - interval '31 days' WHERE event_name LIKE 'left.%'`,
    );
    await run();
    expect(await left()).toEqual([]);
    const { rows } = await database.pool.query(
      `SELECT delivery_id FROM delivery_queue UNION ALL SELECT delivery_id FROM undelivered WHERE status = 'cancelled'`,
    );
    expect(rows).toEqual([]);
  });

  it('keeps tracked events that the rules of an open enrolment look back to', async () => {
    await database.pool.query(
      `WITH person AS (
         INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
         SELECT id, 'telegram', 'drip', 'drip', 'A', 'en' FROM projects RETURNING id, project_id
       ), chain AS (
         INSERT INTO drip_chains (id, project_id, name, trigger, reentry, status)
         SELECT gen_random_uuid(), project_id, 'Chain', '{"type": "manual"}', 'once', 'active' FROM person RETURNING id
       ), enrolment AS (
         INSERT INTO drip_enrolments (project_id, drip_id, version, subscriber_id, started_at)
         SELECT person.project_id, chain.id, 1, person.id, now() - interval '50 days' FROM person, chain
       )
       INSERT INTO tracked_events (id, project_id, subscriber_id, event_id, name, properties, occurred_at, received_at)
       SELECT gen_random_uuid(), project_id, id, name, name, '{}', now() - make_interval(days => days),
         now() - make_interval(days => days)
       FROM person, (VALUES ('before', 51), ('since', 49), ('young', 1)) AS given (name, days)`,
    );
    const kept = async () => {
      const { rows } = await database.pool.query<{ name: string }>(
        `SELECT name FROM tracked_events WHERE name IN ('before', 'since', 'young') ORDER BY received_at`,
      );
      return rows.map(({ name }) => name);
    };
    await run();
    expect(await kept()).toEqual(['since', 'young']);
    await database.pool.query(`UPDATE drip_enrolments SET status = 'completed', ended_at = now()`);
    await run();
    expect(await kept()).toEqual(['young']);
  });

  it('removes what belongs to an old chain or scheduled entry before it, in batches', async () => {
    await database.pool.query(
      `WITH project AS (SELECT id FROM projects LIMIT 1), chain AS (
         INSERT INTO drip_chains (id, project_id, name, trigger, reentry, status, deleted_at)
         SELECT gen_random_uuid(), id, 'Old', '{}', 'once', 'active', now() - interval '40 days' FROM project RETURNING id
       ), entry AS (
         INSERT INTO scheduled (id, project_id, content, scheduled_at, status, ended_at)
         SELECT gen_random_uuid(), id, '{}', 'x', 'sent', now() - interval '40 days' FROM project RETURNING id
       ), person AS (
         INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
         SELECT id, 'telegram', 'entrant ' || n, 'entrant ' || n, 'A', 'en' FROM project, generate_series(1, 1200) n
         RETURNING id
       ), entrant AS (
         INSERT INTO drip_entrants (drip_id, subscriber_id) SELECT chain.id, person.id FROM chain, person
       )
       INSERT INTO scheduled_results (scheduled_id, subscriber_id, status) SELECT entry.id, person.id, 'sent' FROM entry, person`,
    );
    expect(await run()).toEqual({ drip_entrants: 1200, scheduled_results: 1200 });
    expect(await run()).toEqual({ drip_chains: 1, scheduled: 1 });
    await database.pool.query(`DELETE FROM subscribers WHERE platform_user_id LIKE 'entrant %'`);
  });

  it('keeps submissions for 180 days, spam for 30, and those of a removed form for no time', async () => {
    const [open, removed] = ['00000000-0000-0000-0000-0000000000d1', '00000000-0000-0000-0000-0000000000d2'];
    await database.pool.query(
      `WITH project AS (SELECT id FROM projects LIMIT 1), form AS (
         INSERT INTO forms (id, project_id, name, fields, routes, allowed_origins, min_seconds, signing_sealed, status,
           deleted_at)
         SELECT given.id, project.id, 'F', '[]', '[]', '{}', 0, 's', 'active', given.deleted_at
         FROM project, (VALUES ($1::uuid, NULL), ($2::uuid, now() - interval '1 day')) AS given (id, deleted_at)
         RETURNING id, project_id)
       INSERT INTO form_submissions (id, project_id, form_id, status, answers, source, created_at)
       SELECT gen_random_uuid(), project_id, id, status, '{}', 'web', now() - make_interval(days => days)
       FROM form, (VALUES ('new', 179), ('new', 181), ('spam', 29), ('spam', 31)) AS given (status, days)`,
      [open, removed],
    );
    await run();
    const { rows } = await database.pool.query<{ form_id: string; status: string; days: number }>(
      `SELECT form_id, status, floor(extract(epoch FROM now() - created_at) / 86400)::int AS days FROM form_submissions WHERE form_id IN ($1, $2)
       ORDER BY status`,
      [open, removed],
    );
    expect(rows).toEqual([
      { form_id: open, status: 'new', days: 179 },
      { form_id: open, status: 'spam', days: 29 },
    ]);
    expect((await database.pool.query('SELECT 1 FROM forms WHERE id = $1', [removed])).rowCount).toBe(0);
  });

  it('keeps the runs of a recurring message for two days at least: they claim local times', async () => {
    await database.pool.query(
      `WITH entry AS (
         INSERT INTO recurring (id, project_id, name, content, audience, cron, timezone)
         SELECT gen_random_uuid(), id, 'R', '{}', '{}', '* * * * *', 'UTC' FROM projects LIMIT 1 RETURNING id)
       INSERT INTO recurring_runs (recurring_id, scheduled_for, created_at, local_time, status)
       SELECT id, now() - hours * interval '1 hour', now() - hours * interval '1 hour', hours || ' hours ago', 'completed'
       FROM entry, unnest(ARRAY[36, 60]) AS hours`,
    );
    await run(1);
    const { rows } = await database.pool.query('SELECT local_time FROM recurring_runs');
    expect(rows).toEqual([{ local_time: '36 hours ago' }]);
  });

  it('goes on with the other tables when one fails, and leaves rows that another process has locked', async () => {
    await database.pool.query(
      `INSERT INTO events (project_id, name, body, created_at)
       SELECT p.id, 'many', '{}', now() - interval '40 days' FROM projects p, generate_series(1, 1200)`,
    );
    await database.pool.query(
      `INSERT INTO button_clicks (update_id, delivery_id, subscriber_id, clicked_at)
       SELECT 7, gen_random_uuid(), id, now() - interval '40 days' FROM subscribers LIMIT 1`,
    );
    await database.pool.query('ALTER TABLE auth_openings RENAME COLUMN opened_at TO gone');
    const affected = await run();
    await database.pool.query('ALTER TABLE auth_openings RENAME COLUMN gone TO opened_at');
    expect(affected).toMatchObject({ events: 1200, button_clicks: 1 });

    await database.pool.query(
      `INSERT INTO button_clicks (update_id, delivery_id, subscriber_id, clicked_at)
       SELECT 8, gen_random_uuid(), id, now() - interval '40 days' FROM subscribers LIMIT 1`,
    );
    const other = await database.pool.connect();
    try {
      await other.query('BEGIN');
      await other.query('SELECT 1 FROM button_clicks FOR UPDATE');
      expect(await run()).toEqual({});
    } finally {
      await other.query('ROLLBACK');
      other.release();
    }
    expect(await run()).toEqual({ button_clicks: 1 });
  });
});
