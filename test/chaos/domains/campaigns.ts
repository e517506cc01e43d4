import type pg from 'pg';
import type { Domain, DomainContext } from './domain';
import { copiesIn, isTrue } from './domain';

/** A message to one person in a moment. It is never sent again: a call that was under way at a crash has an unknown outcome. */
export function scheduledMessages({ api, control, people, random }: DomainContext): Domain {
  const accepted = new Map<string, string>();
  return {
    name: 'scheduled',
    pauseMs: 1_500,
    async use(turn) {
      const text = `scheduled-${turn}.`;
      const answer = await api.insist('POST', '/v1/scheduled', {
        content: { text },
        subscriber_id: random.pick(people).subscriberId,
        scheduled_at: new Date(Date.now() + random.between(1_000, 8_000)).toISOString(),
      });
      if (answer?.status === 201) accepted.set(String(answer.body['scheduled_id']), text);
    },
    finish: () => Promise.resolve(),
    unsettled: (pool) =>
      open(pool, `SELECT count(*) FROM scheduled WHERE ended_at IS NULL`, 'scheduled messages'),
    async check(pool) {
      const { rows } = await pool.query<{ id: string; status: string; reason: string | null }>(
        'SELECT id, status, reason FROM scheduled',
      );
      const byId = new Map(rows.map((row) => [row.id, row]));
      const copies = await copiesIn(control, people, /^scheduled-\d+\./);
      const wrong = [...accepted].filter(([id, text]) => {
        const row = byId.get(id);
        return !row || !isTrue(row, copies.get(text) ?? 0);
      });
      const sent = rows.filter(({ status }) => status === 'sent').length;
      return [
        {
          invariant: 'every scheduled message is sent once, or recorded as failed',
          holds: wrong.length === 0 && rows.length >= accepted.size,
          detail: `${accepted.size} accepted, ${sent} sent, ${rows.length - sent} failed, ${wrong.length} wrong ${wrong
            .slice(0, 3)
            .map(([id, text]) => `${text} ${JSON.stringify(byId.get(id))} ${copies.get(text) ?? 0}×`)
            .join('; ')}`,
        },
      ];
    },
  };
}

/** A chain of two messages, a tag and a delay, which each person enters again and again. */
export async function dripChains({ api, control, people, project }: DomainContext): Promise<Domain> {
  const created = await api.insist('POST', '/v1/drip-chains', {
    name: 'Chain',
    trigger: { type: 'manual' },
    reentry: 'again',
    steps: [
      { id: 'first', type: 'send', content: { text: 'drip-first.' } },
      { id: 'mark', type: 'tag', add: ['marked'] },
      { id: 'wait', type: 'delay', minutes: 4 },
      { id: 'second', type: 'send', content: { text: 'drip-second.' } },
    ],
    status: 'active',
  });
  if (created?.status !== 201) throw new Error(`no chain: ${JSON.stringify(created)}`);
  const path = `/v1/drip-chains/${String(created.body['drip_id'])}/enrolments`;
  const accepted = new Set<string>();
  return {
    name: 'drip',
    pauseMs: 1_000,
    async use(turn) {
      const person = people[turn % people.length];
      const answer = await api.insist('POST', path, { subscriber_id: person?.subscriberId });
      const entries = (answer?.body['data'] ?? []) as { enrolment_id: string | null }[];
      for (const { enrolment_id } of entries) if (enrolment_id !== null) accepted.add(enrolment_id);
    },
    finish: () => Promise.resolve(),
    unsettled: (pool) =>
      open(pool, `SELECT count(*) FROM drip_enrolments WHERE status = 'active'`, 'enrolments'),
    async check(pool) {
      const { rows: enrolments } = await pool.query<{ id: string; status: string; sent: number }>(
        'SELECT id, status, steps_sent AS sent FROM drip_enrolments',
      );
      const ids = new Set(enrolments.map(({ id }) => id));
      const lost = [...accepted].filter((id) => !ids.has(id)).length;
      const completed = enrolments.filter(({ status }) => status === 'completed').length;
      const sent = enrolments.reduce((sum, enrolment) => sum + enrolment.sent, 0);
      const { rows } = await pool.query<Record<'resent' | 'marked' | 'unsent', number>>(
        `SELECT (SELECT count(*) FROM drip_steps WHERE resent) AS resent,
           (SELECT count(*) FROM drip_steps WHERE reason IS NOT NULL) AS unsent,
           (SELECT count(*) FROM subscribers WHERE project_id = $1 AND 'marked' = ANY (tags)) AS marked`,
        [project.id],
      );
      const { resent = 0, marked = 0, unsent = 0 } = rows[0] ?? {};
      const copies = await copiesIn(control, people, /^drip-(first|second)\./);
      const arrived = [...copies.values()].reduce((sum, count) => sum + count, 0);
      return [
        {
          invariant:
            'every enrolment goes through its chain; only a message in flight at a crash is sent again',
          holds:
            lost === 0 &&
            completed === enrolments.length &&
            sent + unsent === 2 * completed &&
            arrived >= sent &&
            arrived <= sent + resent + unsent &&
            marked === Math.min(people.length, completed),
          detail: `${completed} of ${enrolments.length} completed, ${lost} lost, ${sent} messages sent, ${arrived} arrived, ${resent} resent, ${unsent} not sent`,
        },
      ];
    },
  };
}

/** A message each minute to everyone with a tag. */
export async function recurringMessages(context: DomainContext, pool: pg.Pool): Promise<Domain> {
  const { api, control, people, project } = context;
  await pool.query(`UPDATE subscribers SET tags = '{daily}' WHERE project_id = $1 AND id = ANY ($2)`, [
    project.id,
    people.map(({ subscriberId }) => subscriberId),
  ]);
  const created = await api.insist('POST', '/v1/recurring', {
    name: 'Digest',
    content: { text: 'digest' },
    audience: { tags_any: ['daily'] },
    cron: '* * * * *',
  });
  if (created?.status !== 201) throw new Error(`no recurring message: ${JSON.stringify(created)}`);
  const id = String(created.body['recurring_id']);
  return {
    name: 'recurring',
    pauseMs: 5_000,
    use: () => Promise.resolve(),
    async finish() {
      await api.insist('PATCH', `/v1/recurring/${id}`, { status: 'paused' });
    },
    unsettled: (db) =>
      open(
        db,
        `SELECT count(*) FROM broadcasts WHERE status NOT IN ('completed', 'cancelled')`,
        'broadcasts',
      ),
    async check(db) {
      const { rows } = await db.query<
        Record<'runs' | 'started' | 'jobs' | 'recipients' | 'ended' | 'resent' | 'minutes', number>
      >(
        `SELECT count(*) AS runs, count(*) FILTER (WHERE status IN ('started', 'completed')) AS started,
           count(DISTINCT job_id) AS jobs, count(DISTINCT scheduled_for) AS minutes,
           (SELECT count(*) FROM broadcast_recipients) AS recipients,
           (SELECT count(*) FROM broadcast_recipients WHERE status = 'sent') AS ended,
           (SELECT count(*) FROM broadcast_recipients WHERE resent) AS resent
         FROM recurring_runs WHERE recurring_id = $1`,
        [id],
      );
      const row = rows[0] ?? { runs: 0, started: 0, jobs: 0, recipients: 0, ended: 0, resent: 0, minutes: 0 };
      const copies = (await copiesIn(control, people, /^digest$/)).get('digest') ?? 0;
      return [
        {
          invariant: 'every minute of the recurring message has one run, and each recipient one message',
          holds:
            row.minutes === row.runs &&
            row.jobs === row.started &&
            row.ended === row.recipients &&
            copies >= row.ended &&
            copies <= row.ended + row.resent,
          detail: `${row.runs} runs, ${row.started} sent, ${row.recipients} recipients, ${copies} messages arrived, ${row.resent} resent`,
        },
      ];
    },
  };
}

export async function open(pool: pg.Pool, text: string, what: string): Promise<string[]> {
  const { rows } = await pool.query<{ count: number }>(text);
  const count = rows[0]?.count ?? 0;
  return count > 0 ? [`${count} ${what}`] : [];
}
