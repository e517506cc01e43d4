import type pg from 'pg';
import { exportedRows, type ExportSource } from '../exports';
import { deliverySchema, deliverySearchQuery } from './contract';
import { presentDelivery } from './present';
import { listAllDeliveries } from './queries/search';
import { searchDeliveries } from './search';

const filters = deliverySearchQuery.omit({ cursor: true, limit: true });

export function deliveryExport(pool: pg.Pool): ExportSource<typeof filters> {
  return {
    kind: 'deliveries',
    summary: 'Export deliveries',
    tag: 'Deliveries',
    query: filters,
    row: deliverySchema,
    errors: [],
    open: (_, projectId, { q, ...filter }) =>
      Promise.resolve(async (db, before, limit) => {
        const page = { ...filter, before, limit };
        const found =
          q === undefined
            ? await listAllDeliveries(db, projectId, page)
            : // Opens transactions of its own, with a bounded cost, in the turn that the page has.
              await searchDeliveries(pool, projectId, q, page, (read) => read());
        return exportedRows(found, limit, presentDelivery);
      }),
  };
}
