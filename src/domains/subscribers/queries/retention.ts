import { limits } from '../../../base/contract/limits';
import type { Retention } from '../../../base/db/retention';
import { retention as tracked } from '../tracked/queries';

export const retention = (days: number): Retention => ({
  ...tracked(days),
  imports: [
    // Also imports that no worker has completed.
    { age: 'created_at', after: `${days} days` },
    // Imports whose request died before the file was stored.
    {
      age: 'created_at',
      after: `${limits.idempotencyHours + 1} hours`,
      where: 'ended_at IS NULL AND NOT is_stored',
    },
  ],
  import_chunks: { with: 'imports' },
  // Links that have expired or were used up. `created_at`, which is earlier, has an index.
  subscribe_links: {
    age: 'created_at',
    after: `${days} days`,
    where: `expires_at < now() - interval '${days} days'
      OR uses >= max_uses AND last_used_at < now() - interval '${days} days'`,
  },
  subscribers: { bounded: 'A project keeps them until it deletes them.' },
  label_changes: { bounded: 'A row ends with the last subscriber who has the old name.' },
  project_labels: { bounded: 'A project has at most 20 tags and 20 permissions.' },
});
