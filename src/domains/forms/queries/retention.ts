import { limits } from '../../../base/contract/limits';
import type { Retention } from '../../../base/db/retention';

export const retention = (): Retention => ({
  form_submissions: [
    { age: 'created_at', after: `${limits.submissionDays} days`, where: `status = 'new'` },
    { age: 'created_at', after: `${limits.spamDays} days`, where: `status = 'spam'` },
    { before: 'forms', key: 'form_id' },
  ],
  submission_routes: { with: 'form_submissions' },
  form_drafts: { age: 'expires_at' },
  // Right after its removal a form may still be in the memory of an API process.
  forms: { age: 'deleted_at', after: '1 hour' },
});
