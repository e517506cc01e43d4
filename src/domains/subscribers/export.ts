import type { SubscriberIdFormat } from '../../base/contract/ids';
import { exportedRows, type ExportSource } from '../exports';
import { subscriberListQuery, subscriberSchema } from './contract';
import { listSubscribers } from './queries/records';
import { viewSubscriber } from './record';

const filters = subscriberListQuery.omit({ cursor: true, limit: true, ids: true });

export function subscriberExport(format: SubscriberIdFormat): ExportSource<typeof filters> {
  return {
    kind: 'subscribers',
    summary: 'Export subscribers',
    tag: 'Subscribers',
    query: filters,
    row: subscriberSchema,
    errors: ['invalid_external_id'],
    open: (_, projectId, filter) =>
      Promise.resolve(async (db, before, limit) =>
        exportedRows(await listSubscribers(db, projectId, { ...filter, before, limit }), limit, (record) =>
          viewSubscriber(record, format),
        ),
      ),
  };
}
