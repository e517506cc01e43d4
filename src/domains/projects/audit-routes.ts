import type pg from 'pg';
import { pageOf } from '../../base/contract/common';
import { decodeCursor, toPage } from '../../base/contract/cursor';
import { limits } from '../../base/contract/limits';
import { route } from '../../base/http/route';
import { isoTime } from '../../base/lib/iso-time';
import { auditEntrySchema, auditQuery, type AuditEntry } from './contract';
import { listAuditEntries, type AuditRow } from './queries/audit';

export function createAuditRoutes({ pool }: { pool: pg.Pool }) {
  return [
    route(
      {
        method: 'GET',
        path: '/v1/audit',
        summary: 'List changes',
        description: `Who changed what, newest first, for ${limits.auditDays} days. Messages, codes, events and logins have logs of their own.`,
        tag: 'Team',
        scope: 'admin',
        query: auditQuery,
        response: pageOf(auditEntrySchema),
      },
      async ({ project, query: { cursor, ...filter } }) =>
        toPage(
          await listAuditEntries(pool, project.id, { ...filter, before: decodeCursor(cursor) }),
          filter.limit,
          present,
        ),
    ),
  ];
}

function present(entry: AuditRow): AuditEntry {
  return {
    audit_id: entry.id,
    actor: { type: entry.actor_type, id: entry.actor_id },
    action: entry.action,
    target_id: entry.target_id,
    target_name: entry.target_name,
    changes: entry.changes,
    ip: entry.ip,
    at: isoTime(entry.at),
  };
}
