import { z } from 'zod';
import { idSchema } from '../../base/contract/common';
import type { SubscriberIdFormat } from '../../base/contract/ids';
import { exportedRows, type ExportSource } from '../exports';
import { submissionListQuery, submissionSchema } from './contract';
import { requireForm } from './forms';
import { listSubmissions } from './queries/submissions';
import { presentSubmission } from './submissions';

const filters = z.strictObject({
  form_id: idSchema.optional(),
  ...submissionListQuery.omit({ cursor: true, limit: true }).shape,
});

export function submissionExport(format: SubscriberIdFormat): ExportSource<typeof filters> {
  return {
    kind: 'submissions',
    summary: 'Export submissions',
    tag: 'Forms',
    query: filters,
    row: submissionSchema,
    errors: [],
    async open(db, projectId, { form_id, status }) {
      const formId = form_id === undefined ? null : (await requireForm(db, projectId, form_id)).id;
      return async (reader, before, limit) => {
        const found = await listSubmissions(reader, projectId, { formId, status, before, limit });
        return exportedRows(found, limit, (row) => presentSubmission(row, format));
      };
    },
  };
}
