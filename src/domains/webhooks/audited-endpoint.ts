import { changedSettings, describeChange } from '../projects';
import type { Endpoint } from './queries/endpoints';

const settings = ['url', 'events', 'retry_policy', 'delivery_lane', 'status'] as const;

/** For the audit log. Paths and queries of URLs can hold secrets, so it shows no more of them than the origin. */
export function describeEndpoint(before: Endpoint, after: Endpoint): void {
  const changes = changedSettings(before, after, settings).map((change) =>
    change.field === 'url'
      ? { field: 'url', before: new URL(before.url).origin, after: new URL(after.url).origin }
      : change,
  );
  describeChange(new URL(after.url).host, changes);
}
