/**
 * The log field for the id in a path with `{id}`, so that request logs can be correlated with those of workers and
 * bots.
 */
const pathIds: [prefix: string, name: string][] = [
  ['/v1/auth/session/', 'session_id'],
  ['/v1/deliveries/', 'delivery_id'],
  ['/v1/webhooks/', 'endpoint_id'],
  ['/v1/subscribers/', 'subscriber_id'],
  ['/v1/broadcast/', 'job_id'],
  ['/v1/oidc/clients/', 'client_id'],
];

/** Ids logged from a response. Nothing else of a response is logged. */
const responseIds = ['session_id', 'delivery_id', 'job_id'] as const;

/** The ids of a request to log, from its path and its response. */
export function logIds(path: string, params: unknown, response: unknown): Record<string, string> {
  const ids: Record<string, string> = {};
  const [id] = Object.values((params ?? {}) as Record<string, unknown>);
  const name = pathIds.find(([prefix]) => path.startsWith(`${prefix}{`))?.[1];
  if (name && typeof id === 'string') ids[name] = id;
  for (const field of responseIds) {
    const value = (response as Record<string, unknown> | null | undefined)?.[field];
    if (typeof value === 'string') ids[field] = value;
  }
  return ids;
}
