import { idParams } from '../contract/common';
import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
import type { Core } from '../core';
import { route } from '../http/route';
import { isoTime, isoTimeOrNull } from '../lib/iso-time';
import {
  acceptedImportSchema,
  importFileSchema,
  importQuery,
  importSchema,
  type ImportView,
} from './contract';
import { acceptImport } from './import-file';
import { findImport, type ImportRow } from './queries/imports';

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
        text: { type: 'text/csv', maxBytes: limits.importBytes },
        body: importFileSchema,
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
        const found = await findImport(pool, project.id, params.id);
        if (!found) throw new AppError('not_found');
        return presentImport(found);
      },
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
