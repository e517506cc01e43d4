import type { z } from 'zod';
import { idParams } from '../../base/contract/common';
import { AppError, orNotFound } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { withTransaction } from '../../base/db/pool';
import { route } from '../../base/http/route';
import { isoTime, isoTimeOrNull } from '../../base/lib/iso-time';
import {
  acceptedImportSchema,
  importFileSchema,
  importQuery,
  importSchema,
  type ImportView,
} from './contract';
import { acceptImport, createImportReader, type ImportFile } from './import-file';
import { endImport, findImport, type ImportRow } from './queries/imports';

const tag = 'Subscribers';

export function createImportRoutes({ pool }: Pick<Core, 'pool'>) {
  return [
    route(
      {
        method: 'POST',
        path: '/v1/import/subscribers',
        summary: 'Import changes of subscribers',
        description:
          'Changes subscribers, never creates any: only a person’s own act does. Rows are applied one after another; those that fail are listed and do not stop the others.',
        tag,
        query: importQuery,
        idempotent: {},
        text: { type: 'text/csv', maxBytes: limits.importBytes, reader: createImportReader },
        // What the reader makes of the text.
        body: importFileSchema as z.ZodType as z.ZodType<ImportFile>,
        status: 202,
        response: acceptedImportSchema,
        errors: ['conflict'],
      },
      async ({ project, query, body, work }) =>
        acceptImport(pool, project.id, { file: body, dryRun: query.dry_run ?? false }, work),
    ),
    route(
      {
        method: 'GET',
        path: '/v1/import/{id}',
        summary: 'Get the progress of an import',
        tag,
        params: idParams,
        response: importSchema,
      },
      async ({ project, params }) => {
        return presentImport(orNotFound(await findImport(pool, project.id, params.id)));
      },
    ),
    route(
      {
        method: 'DELETE',
        path: '/v1/import/{id}',
        summary: 'Cancel an import',
        description: 'Rows that have been applied stay applied; the others are not.',
        tag,
        params: idParams,
        response: importSchema,
        errors: ['conflict'],
      },
      // The workflow reads the row before each chunk, and ends.
      ({ project, params }) =>
        withTransaction(pool, async (db) => {
          orNotFound(await findImport(db, project.id, params.id));
          const cancelled = await endImport(db, params.id, 'cancelled');
          if (!cancelled) throw new AppError('conflict', 'The import has already ended.');
          return presentImport(cancelled);
        }),
    ),
  ];
}

function presentImport(found: ImportRow): ImportView {
  return {
    import_id: found.id,
    dry_run: found.dry_run,
    status: found.status,
    rows: found.rows,
    updated: found.updated,
    failed: found.failed,
    errors: found.errors,
    created_at: isoTime(found.created_at),
    ended_at: isoTimeOrNull(found.ended_at),
  };
}
