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
  created_at: Date;
}

/** Single messages, newest first; those of broadcasts and batches are counted by their jobs. */
export async function searchMessages(
  db: Db,
  filter: { projectId?: string | undefined; since?: string | undefined; limit: number },
): Promise<OperatorMessage[]> {
  const { text, values } = conditions({
    'm.project_id = ?': filter.projectId,
    'm.created_at >= ?': filter.since,
  });
  const found = await db.query<OperatorMessage>({
    text: `SELECT m.id, p.slug AS project_slug, m.kind, m.channel, m.status, m.reason, m.created_at
       FROM messages m JOIN projects p ON p.id = m.project_id ${text}
       ORDER BY m.created_at DESC, m.id DESC LIMIT $${values.length + 1}`,
    values: [...values, filter.limit],
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
