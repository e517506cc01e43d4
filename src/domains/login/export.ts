import type { SubscriberIdFormat } from '../../base/contract/ids';
import { exportedRows, type ExportSource } from '../exports';
import { requireSubscriber } from '../subscribers';
import { sessionListQuery, sessionRecordSchema } from './contract';
import { listLoggedSessions } from './log';
import { presentSession } from './log-routes';

const filters = sessionListQuery.omit({ cursor: true, limit: true });

export function loginExport(format: SubscriberIdFormat): ExportSource<typeof filters> {
  return {
    kind: 'logins',
    summary: 'Export logins',
    tag: 'Login',
    query: filters,
    row: sessionRecordSchema,
    errors: ['subscriber_not_found'],
    async open(pool, projectId, { subscriber_id: of, ...filter }) {
      const subscriberId = of === undefined ? undefined : (await requireSubscriber(pool, projectId, of)).id;
      return async (db, before, limit) =>
        exportedRows(
          await listLoggedSessions(db, projectId, { ...filter, subscriberId, before, limit }),
          limit,
          (session) => presentSession(session, format),
        );
    },
  };
}
