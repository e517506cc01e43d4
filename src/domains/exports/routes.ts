import type pg from 'pg';
import type { z } from 'zod';
import { AppError } from '../../base/contract/errors';
import { route, Streamed, type Route } from '../../base/http/route';
import { csvRows, openLines } from './lines';
import { leasedStream } from './leased-stream';
import type { ExportSource } from './source';

/** `GET /v1/export/<kind>`: the whole list as CSV. */
export function createExportRoute<Query extends z.ZodType>(
  pool: pg.Pool,
  source: ExportSource<Query>,
): Route {
  return route(
    {
      method: 'GET',
      path: `/v1/export/${source.kind}`,
      summary: source.summary,
      description:
        'The list with its filters as CSV (RFC 4180), newest first; the header row names the fields, lists are joined by `|`. A cell that a spreadsheet would take for a formula has an apostrophe before it. One export at a time; not in the free plan.',
      tag: source.tag,
      scope: 'export',
      query: source.query,
      response: ['text/csv'],
      example: (exampleOf) => exampleFile(source.row, exampleOf(source.row)),
      errors: ['plan_limit', 'rate_limit_export', ...source.errors],
    },
    async ({ project, query, access }) => {
      if (project.plan === 'free') throw new AppError('plan_limit', 'The free plan has no exports.');
      const stream = await leasedStream(pool, project.id, access(), async (signal) => {
        const readPage = await source.open(pool, project.id, query as z.output<Query>);
        return openLines(pool, { projectId: project.id, format: csvRows(source.row), readPage, signal });
      });
      return new Streamed('text/csv; charset=utf-8', `${source.kind}.csv`, stream);
    },
  );
}

/** The header and one row. */
function exampleFile(schema: z.ZodObject, row: unknown): string {
  const { header, line } = csvRows(schema);
  return header + line(row as Record<string, unknown>);
}
