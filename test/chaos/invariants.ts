import { Client, Connection } from '@temporalio/client';
import type pg from 'pg';
import { taskQueues, workflowIds } from '../../src/base/temporal/names';
import { retryPolicies } from '../../src/domains/webhooks/retry-schedule';
import type { ChaosFixture } from './fixture';
import type { Arrival, Load, Seen } from './load';

export interface Invariant {
  invariant: string;
  holds: boolean;
  /** Numbers for people. */
  detail: string;
}

/** When something was hurt, in milliseconds of the clock. */
export interface FaultTime {
  from: number;
  to: number;
}

/** What is still on its way; empty once everything has come to its end. */
export async function unsettled(
  pool: pg.Pool,
  fixture: ChaosFixture,
  { domains }: Pick<Load, 'domains'>,
): Promise<string[]> {
  const { rows } = await pool.query<{ what: string; count: number }>(
    `SELECT 'deliveries' AS what, count(*) FROM deliveries WHERE status = 'pending' AND NOT ${WAITS_FOR_RETRY}
     UNION ALL SELECT 'sessions', count(*) FROM auth_sessions WHERE status IN ('pending', 'confirmed')
     UNION ALL SELECT 'bot updates', count(*) FROM bot_updates WHERE handled_at IS NULL`,
  );
  const open = rows.filter(({ count }) => count > 0).map(({ what, count }) => `${count} ${what}`);
  for (const domain of domains) open.push(...(await domain.unsettled(pool)));
  const workflows = await openWorkflows(fixture);
  const withoutWorkflow = (await waitingForRetry(pool)).filter(
    (id) => !workflows.delete(workflowIds.delivery(id)),
  );
  const named = (items: string[]) => items.slice(0, 5).join(', ');
  if (workflows.size > 0) {
    open.push(`${workflows.size} workflows: ${named([...workflows].map(([id, doing]) => `${id} ${doing}`))}`);
  }
  if (withoutWorkflow.length > 0) {
    open.push(
      `${withoutWorkflow.length} deliveries without the workflow of their retry: ${named(withoutWorkflow)}`,
    );
  }
  return open;
}

/**
 * A durable delivery that failed four times while its receiver hung is attempted an hour after the first time, then six. The
 * workflow waits for that, the check does not.
 */
const WAITS_FOR_RETRY = `(policy = 'durable' AND scheduled_attempts >= 4 AND underway IS NULL
  AND next_attempt_at BETWEEN now() AND now() + make_interval(secs => (ARRAY[${retryPolicies.durable.offsets.join()}])[scheduled_attempts + 1]))`;

async function waitingForRetry(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM deliveries WHERE status = 'pending' AND ${WAITS_FOR_RETRY}`,
  );
  return rows.map(({ id }) => id);
}

/** More are not looked at one by one: they are on their way. */
const FEW = 50;

/**
 * The ids of open workflows, with the activities that they wait for. The list of a server that was killed may be behind, so that a
 * few are asked for their own state.
 */
async function openWorkflows({ temporalAddress, settings }: ChaosFixture): Promise<Map<string, string>> {
  const connection = await Connection.connect({ address: temporalAddress });
  try {
    const queues = Object.values(taskQueues(settings['HERALD_TASK_QUEUE_PREFIX'] ?? ''));
    const ours = queues.map((queue) => `"${queue}"`).join(', ');
    const client = new Client({ connection });
    const query = `TaskQueue IN (${ours}) AND ExecutionStatus = "Running"`;
    const open = new Map<string, string>();
    for await (const { workflowId } of client.workflow.list({ query })) open.set(workflowId, '');
    if (open.size > FEW) return open;
    for (const id of open.keys()) {
      const { status, raw } = await client.workflow.getHandle(id).describe();
      if (status.name !== 'RUNNING') open.delete(id);
      else open.set(id, (raw.pendingActivities ?? []).map(pendingText).join(', '));
    }
    return open;
  } finally {
    await connection.close();
  }
}

const pendingText = (activity: {
  activityType?: { name?: string | null } | null;
  attempt?: number | null;
  lastFailure?: { message?: string | null } | null;
}) => `${activity.activityType?.name} ${activity.attempt}: ${activity.lastFailure?.message ?? 'no failure'}`;

/** What must be true after any disaster, judged by what the outside saw and the database says. */
export async function checkInvariants(
  pool: pg.Pool,
  { seen, domains }: Pick<Load, 'seen' | 'domains'>,
  faults: FaultTime[],
): Promise<Invariant[]> {
  const ofDomains: Invariant[] = [];
  for (const domain of domains) ofDomains.push(...(await domain.check(pool)));
  return [
    ...(await checkDeliveries(pool, seen)),
    checkDuplicates(seen, faults),
    await checkCounts(pool),
    ...(await checkLogins(pool, seen)),
    ...ofDomains,
  ];
}

/** An attempt, the time until its activity counts as lost, and a busy machine. */
const IN_FLIGHT_MS = 20_000;

/** A request that was answered well is followed by another only if a fault kept its result from being recorded. */
function checkDuplicates({ received }: Seen, faults: FaultTime[]): Invariant {
  const answered = (arrivals: Arrival[]) => arrivals.findIndex(({ status }) => status === 200);
  const repeated = [...received.values()].filter((arrivals) => {
    const first = answered(arrivals);
    return first >= 0 && first < arrivals.length - 1;
  });
  const unexplained = repeated.filter((arrivals) => {
    const at = arrivals[answered(arrivals)]?.at ?? 0;
    return !faults.some(({ from, to }) => at > from - IN_FLIGHT_MS && at < to + IN_FLIGHT_MS);
  });
  return {
    invariant: 'only attempts in flight during a fault are made again',
    holds: unexplained.length === 0,
    detail: `${repeated.length} of ${received.size} deliveries arrived again, ${unexplained.length} without a fault`,
  };
}

interface DeliveryRecord {
  id: string;
  status: string;
  failure: string | null;
  policy: string;
  scheduled_attempts: number;
  body: string;
}

async function checkDeliveries(pool: pg.Pool, seen: Seen): Promise<Invariant[]> {
  const { rows: deliveries } = await pool.query<DeliveryRecord>(
    `SELECT d.id, d.status, d.failure, d.policy, d.scheduled_attempts, v.body
     FROM deliveries d JOIN events v ON v.id = d.event_id`,
  );
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  const forgotten = [...seen.accepted].filter((id) => !byId.has(id));
  const { rows: incomplete } = await pool.query(
    `SELECT v.id FROM events v WHERE v.name <> 'batch.completed'
       AND (SELECT count(*) FROM deliveries d WHERE d.event_id = v.id)
         <> (SELECT count(*) FROM endpoints e WHERE e.project_id = v.project_id AND e.created_at <= v.created_at)`,
  );
  const succeeded = deliveries.filter(({ status }) => status === 'succeeded');
  const unseen = succeeded.filter(({ id }) => !seen.received.has(id));
  const failed = deliveries.filter(({ status }) => status === 'failed');
  const unjustified = failed.filter(
    ({ failure, policy, scheduled_attempts }) =>
      failure !== 'exhausted' || policy !== 'quick' || scheduled_attempts !== 4,
  );
  const waiting = (await waitingForRetry(pool)).length;
  const others = deliveries.length - succeeded.length - failed.length - waiting;
  const arrivals = [...seen.received.values()];
  const wrongBytes = [...seen.received].filter(([id, bodies]) =>
    bodies.some(({ body }) => body !== byId.get(id)?.body),
  );
  const { rows: unfinished } = await pool.query('SELECT 1 FROM attempts WHERE finished_at IS NULL');
  const requests = arrivals.reduce((sum, bodies) => sum + bodies.length, 0);
  const { rows: logged } = await pool.query<{ count: number }>('SELECT count(*) FROM attempts');
  return [
    {
      invariant: 'every accepted event has its delivery',
      holds: forgotten.length === 0 && incomplete.length === 0,
      detail: `${seen.accepted.size} accepted, ${forgotten.length + incomplete.length} without`,
    },
    {
      invariant: 'every delivery is delivered or accounted for',
      holds: unseen.length === 0 && unjustified.length === 0 && others === 0,
      detail: `${succeeded.length} delivered, ${failed.length} used up their schedule, ${waiting} wait for a retry an hour or more after the first attempt, ${unseen.length + unjustified.length + others} neither`,
    },
    {
      invariant: 'every attempt has its result',
      holds: unfinished.length === 0,
      detail: `${requests} requests arrived for ${logged[0]?.count} logged attempts`,
    },
    {
      invariant: 'every signature is valid, every body the event’s own bytes',
      holds: seen.badSignatures === 0 && wrongBytes.length === 0,
      detail: `${requests} requests, ${seen.badSignatures} bad signatures, ${wrongBytes.length} other bytes`,
    },
  ];
}

/** Health and stats are counted with the results, so a crash can make neither drift. */
async function checkCounts(pool: pg.Pool): Promise<Invariant> {
  const { rows } = await pool.query<Record<'attempts' | 'counted' | 'differing', number>>(
    `WITH logged AS (
       SELECT d.endpoint_id, date_trunc('hour', a.claimed_at, 'UTC') AS hour,
         count(*) FILTER (WHERE a.http_status BETWEEN 200 AND 299 AND a.error IS NULL) AS succeeded, count(*) AS total
       FROM attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE a.finished_at IS NOT NULL GROUP BY 1, 2
     )
     SELECT coalesce(sum(l.total), 0)::int AS attempts, coalesce(sum(h.succeeded + h.failed), 0)::int AS counted,
       (count(*) FILTER (WHERE l.succeeded IS DISTINCT FROM h.succeeded
         OR l.total IS DISTINCT FROM h.succeeded + h.failed))::int AS differing
     FROM logged l FULL JOIN endpoint_hours h ON h.endpoint_id = l.endpoint_id AND h.hour = l.hour`,
  );
  const { attempts = 0, counted = 0, differing = 1 } = rows[0] ?? {};
  return {
    invariant: 'hourly counts of endpoints agree with the log',
    holds: differing === 0,
    detail: `${attempts} attempts logged, ${counted} counted, ${differing} hours differ`,
  };
}

async function checkLogins(pool: pg.Pool, seen: Seen): Promise<Invariant[]> {
  const { rows } = await pool.query<
    Record<
      'confirmed' | 'credits' | 'unpaid' | 'completed' | 'answers' | 'sessions' | 'ended' | 'of_api',
      number
    >
  >(
    `SELECT (SELECT count(*) FROM auth_sessions) AS sessions,
       (SELECT count(*) FROM auth_sessions WHERE code_hash IS NOT NULL OR status IN ('declined', 'expired')) AS ended,
       (SELECT count(*) FROM auth_sessions WHERE code_hash IS NOT NULL) AS confirmed,
       (SELECT count(*) FROM credit_ledger) AS credits,
       (SELECT count(*) FROM auth_sessions s WHERE code_hash IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM credit_ledger l WHERE l.session_id = s.id)) AS unpaid,
       (SELECT count(*) FROM events WHERE name = 'auth.completed') AS completed,
       (SELECT count(*) FROM auth_sessions s WHERE code_hash IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM oidc_logins o WHERE o.session_id = s.id)) AS of_api,
       (SELECT count(*) FROM auth_answers WHERE answer = 'yes') AS answers`,
  );
  const {
    confirmed = 0,
    credits = 0,
    unpaid = 0,
    completed = 0,
    sessions = 0,
    ended = 0,
    of_api = 0,
  } = rows[0] ?? {};
  const twice = [...seen.verified.values()].filter((times) => times > 1).length;
  const { rows: consumed } = await pool.query<{ id: string }>(
    `SELECT id FROM auth_sessions WHERE status = 'consumed'`,
  );
  const used = new Set(consumed.map(({ id }) => id));
  const unrecorded = [...seen.verified.keys()].filter((id) => !used.has(id)).length;
  return [
    {
      invariant: 'every login is confirmed, declined or expired',
      holds: ended === sessions && sessions >= seen.loginsBegun,
      detail: `${seen.loginsBegun} begun, ${confirmed} confirmed, ${ended - confirmed} declined or expired, ${sessions - ended} neither`,
    },
    {
      invariant: 'no code is used twice',
      holds: twice === 0 && unrecorded === 0,
      detail: `${seen.verified.size} codes verified, ${twice} twice, ${unrecorded} without a record`,
    },
    {
      invariant: 'credits equal confirmations',
      holds: credits === confirmed && unpaid === 0,
      detail: `${confirmed} confirmations, ${credits} credits`,
    },
    {
      invariant: 'every confirmation has its event',
      // A login by OpenID Connect has none: its site gets tokens.
      holds: completed === of_api,
      detail: `${completed} auth.completed for ${of_api} confirmations`,
    },
  ];
}
