import type { Db } from '../../db/pool';
import type { SessionStatus } from '../../login/contract';
import * as session from '../../login/queries/log';
import type { SessionLogRow } from '../../login/queries/log';
import type { DeliveryStatus } from '../../webhooks/contract';
import * as delivery from '../../webhooks/queries/deliveries';
import type { DeliveryRow } from '../../webhooks/queries/deliveries';

/*
 * The operator's view of the logs: across projects, with any combination of filters. The statements contain only the
 * given filters, so that each uses the best index; therefore they are not named prepared statements.
 */

export interface OperatorDelivery extends DeliveryRow {
  project_id: string;
  project_slug: string;
  url: string;
}

export interface OperatorDeliveryFilter {
  projectId?: string | undefined;
  endpointId?: string | undefined;
  event?: string | undefined;
  status?: DeliveryStatus | undefined;
  since?: string | undefined;
  limit: number;
}

const DELIVERY = `SELECT ${delivery.COLUMNS}, d.project_id, p.slug AS project_slug, e.url
  FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id JOIN projects p ON p.id = d.project_id
  ${delivery.IN_FLIGHT}`;

export async function searchDeliveries(db: Db, filter: OperatorDeliveryFilter): Promise<OperatorDelivery[]> {
  const { text, values } = conditions({
    // By endpoint, because deliveries are indexed by endpoint.
    'e.project_id = ?': filter.projectId,
    'd.endpoint_id = ?': filter.endpointId,
    'd.event_name = ?': filter.event,
    [`${delivery.STATUS} = ?`]: filter.status,
    'd.created_at >= ?': filter.since,
  });
  const found = await db.query<OperatorDelivery>({
    text: `${DELIVERY} ${text} ORDER BY d.created_at DESC, d.id DESC LIMIT $${values.length + 1}`,
    values: [...values, filter.limit],
  });
  return found.rows;
}

export async function findAnyDelivery(db: Db, id: string): Promise<OperatorDelivery | null> {
  const found = await db.query<OperatorDelivery>({ text: `${DELIVERY} WHERE d.id = $1`, values: [id] });
  return found.rows[0] ?? null;
}

export interface OperatorSession extends SessionLogRow {
  project_id: string;
  project_slug: string;
  code_expires_at: Date | null;
  workflow_started_at: Date | null;
}

export interface OperatorSessionFilter {
  projectId?: string | undefined;
  status?: SessionStatus | undefined;
  since?: string | undefined;
  limit: number;
}

const SESSION = `SELECT ${session.COLUMNS}, s.project_id, p.slug AS project_slug, s.code_expires_at,
  s.workflow_started_at
  FROM auth_sessions s JOIN projects p ON p.id = s.project_id`;

export async function searchSessions(db: Db, filter: OperatorSessionFilter): Promise<OperatorSession[]> {
  const { text, values } = conditions({
    's.project_id = ?': filter.projectId,
    [`${session.STATUS} = ?`]: filter.status,
    's.created_at >= ?': filter.since,
  });
  const found = await db.query<OperatorSession>({
    text: `${SESSION} ${text} ORDER BY s.created_at DESC, s.id DESC LIMIT $${values.length + 1}`,
    values: [...values, filter.limit],
  });
  return found.rows;
}

export async function findAnySession(db: Db, id: string): Promise<OperatorSession | null> {
  const found = await db.query<OperatorSession>({ text: `${SESSION} WHERE s.id = $1`, values: [id] });
  return found.rows[0] ?? null;
}

export interface OperatorMessage {
  id: string;
  project_slug: string;
  kind: string;
  channel: string;
  status: string;
  reason: string | null;
  at: Date;
}

/**
 * Single messages by their creation, and those of broadcasts and batches by their end: thousands of queued recipients would
 * hide all others. Newest first, up to the limit of each.
 */
export async function searchMessages(
  db: Db,
  { projectId, since, limit }: { projectId?: string | undefined; since: string; limit: number },
): Promise<OperatorMessage[]> {
  const ofProject = projectId === undefined ? '' : 'AND p.id = $3';
  const found = await db.query<OperatorMessage>({
    text: `SELECT id, project_slug, kind, channel, status, reason, at FROM (
         (SELECT m.id, p.slug AS project_slug, m.kind, m.channel, m.status, m.reason, m.created_at AS at
          FROM messages m JOIN projects p ON p.id = m.project_id
          WHERE m.created_at >= $1 ${ofProject}
          ORDER BY m.created_at DESC, m.id DESC LIMIT $2)
         UNION ALL
         (SELECT r.id, p.slug, b.kind, r.channel, r.status, r.reason, r.ended_at
          FROM broadcasts b JOIN projects p ON p.id = b.project_id JOIN broadcast_recipients r ON r.broadcast_id = b.id
          WHERE (b.status IN ('queued', 'running', 'cancelling') OR b.ended_at >= $1) AND r.ended_at >= $1
            AND r.channel <> '' ${ofProject}
          ORDER BY r.ended_at DESC, r.id DESC LIMIT $2)
       ) message ORDER BY at DESC, id DESC`,
    values: [since, limit, ...(projectId === undefined ? [] : [projectId])],
  });
  return found.rows;
}

/** Joins the conditions that have a value and numbers their parameters. */
function conditions(filters: Record<string, unknown>): { text: string; values: unknown[] } {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const texts = given.map(([text], index) => text.replace('?', `$${index + 1}`));
  return {
    text: texts.length > 0 ? `WHERE ${texts.join(' AND ')}` : '',
    values: given.map(([, value]) => value),
  };
}
