import { limits } from '../../../base/contract/limits';
import type { Retention } from '../../../base/db/retention';

export const retention = (): Retention => ({
  event_words: { age: 'created_at', after: `${limits.webhookSearchDays} days` },
  event_words_progress: { bounded: 'One row.' },
  deliveries: { alongside: 'events' },
  delivery_queue: { alongside: 'deliveries' },
  delivery_retries: { alongside: 'deliveries' },
  undelivered: { alongside: 'deliveries' },
  attempts: { alongside: 'deliveries' },
  // An hour later, because a transaction that began before the deletion may still add a delivery.
  endpoints: {
    age: 'deleted_at',
    after: '1 hour',
    where: 'NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = t.id)',
  },
  // An endpoint keeps its newest hour, from which `last_delivery_at` is read. A deleted endpoint keeps none.
  endpoint_hours: {
    age: 'hour',
    after: `${limits.webhookStatsDays} days`,
    where: `NOT EXISTS (SELECT 1 FROM endpoints e WHERE e.id = t.endpoint_id AND e.deleted_at IS NULL)
      OR EXISTS (SELECT 1 FROM endpoint_hours newer WHERE newer.endpoint_id = t.endpoint_id AND newer.hour > t.hour)`,
  },
  endpoint_secrets: { age: 'expires_at' },
});
