import type { RouteSpec } from './route';

/**
 * Changes that are not audited here: sends, replies, codes, events, logins and submissions have logs of their own, a preview changes nothing, and the
 * dashboard's routes write an entry themselves where they change a team.
 * Everything else that is not a GET is audited, so that no route can be forgotten.
 */
const unaudited: readonly RegExp[] = [
  /^POST \/v1\/send(\/|$)/,
  /^POST \/v1\/otp\//,
  /^POST \/v1\/broadcast(\/|$)/,
  /^POST \/v1\/(events|publish)$/,
  /^\w+ \/v1\/submissions\//,
  /^\w+ \/v1\/auth\//,
  /^\w+ \/dashboard\//,
  /^POST \/v1\/helpdesk\/tickets\/\{id\}\/messages$/,
  /[/-]preview$/,
];

/** The last part of a path that is a verb, and how the log names it. */
const verbs: Readonly<Record<string, string>> = {
  'rotate-secret': 'secret_rotated',
  bulk: 'updated',
  cancel: 'cancelled',
  recover: 'recovered',
  retry: 'retried',
  run: 'started',
  skip: 'skipped',
  tags: 'tagged',
  test: 'tested',
};
/** Changes that their method does not name: what is cancelled or revoked stays, and can still be read. */
const named: Readonly<Record<string, string>> = {
  'DELETE /v1/broadcast/{job_id}': 'broadcast.cancelled',
  'DELETE /v1/send/batch/{batch_id}': 'batch.cancelled',
  'DELETE /v1/scheduled/{id}': 'scheduled.cancelled',
  'DELETE /v1/keys/{id}': 'key.revoked',
  'POST /v1/import/subscribers': 'import.created',
  'DELETE /v1/import/{id}': 'import.cancelled',
  'POST /v1/drip-chains/{drip_id}/enrolments': 'enrolment.created',
  'DELETE /v1/drip-chains/{drip_id}/enrolments/{id}': 'enrolment.cancelled',
};
const byMethod = { POST: 'created', PUT: 'updated', PATCH: 'updated', DELETE: 'deleted' } as const;

/** The name of a change in the audit log, from its route: `webhook.updated`; null if it is not audited. */
export function auditActionOf({
  method,
  path,
  auth,
}: Pick<RouteSpec, 'method' | 'path' | 'auth'>): string | null {
  if (method === 'GET' || auth === 'none') return null;
  const route = `${method} ${path}`;
  if (unaudited.some((pattern) => pattern.test(route))) return null;
  if (named[route] !== undefined) return named[route];
  const words = path.split('/').filter((part) => part !== '' && part !== 'v1' && !part.startsWith('{'));
  const verb = words.length > 1 ? verbs[words.at(-1) ?? ''] : undefined;
  const nouns = verb === undefined ? words : words.slice(0, -1);
  return `${nouns.map(singular).join('_')}.${verb ?? byMethod[method]}`;
}

function singular(word: string): string {
  const noun = word.replaceAll('-', '_');
  if (noun.endsWith('ies')) return `${noun.slice(0, -3)}y`;
  return noun.endsWith('s') ? noun.slice(0, -1) : noun;
}
