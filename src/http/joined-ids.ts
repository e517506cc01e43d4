/** Which id a path with `{id}` carries, so that a request's log line joins those of the worker and the bots. */
const pathIds: [prefix: string, name: string][] = [
  ['/v1/auth/session/', 'session_id'],
  ['/v1/deliveries/', 'delivery_id'],
  ['/v1/webhooks/', 'endpoint_id'],
  ['/v1/subscribers/', 'subscriber_id'],
  ['/v1/broadcast/', 'job_id'],
];

/** Ids that an answer names. Nothing else of an answer reaches a log. */
const answerIds = ['session_id', 'delivery_id', 'job_id'] as const;

/** The ids of ours that a request was about, from its path and its answer. */
export function joinedIds(path: string, params: unknown, answer: unknown): Record<string, string> {
  const ids: Record<string, string> = {};
  const [given] = Object.values((params ?? {}) as Record<string, unknown>);
  const name = pathIds.find(([prefix]) => path.startsWith(`${prefix}{`))?.[1];
  if (name && typeof given === 'string') ids[name] = given;
  for (const field of answerIds) {
    const told = (answer as Record<string, unknown> | null | undefined)?.[field];
    if (typeof told === 'string') ids[field] = told;
  }
  return ids;
}
