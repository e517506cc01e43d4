import path from 'node:path';
import { z } from 'zod';
import type { Channel } from '../contract/common';
import { laneSettings } from '../contract/delivery-lanes';
import { issueText } from '../contract/issues';
import { KIB, limits } from '../contract/limits';
import { httpUrl } from '../lib/http-url';
import { platformsIn, variablesOf, type MessengerSettings, type PlatformSettings } from './messengers';
import { flag, oneOf, port, postgresUrl, proxyCount, readableFile, whole } from './setting-types';
import { unsafeSettings } from './unsafe-settings';

/*
 * The settings: one schema over the environment, parsed once. `docs/configuration.md` is generated from its descriptions.
 */

export const roleNames = ['api', 'worker', 'bots'] as const;
export type Role = (typeof roleNames)[number];

const roleList = z
  .string()
  .transform((value) => value.split(',').map((role) => role.trim()))
  .pipe(z.array(z.enum(roleNames, { error: `must be a list of ${roleNames.join(', ')}` })).nonempty());

/** `<id>:<base64 of 32 bytes>`, separated by commas: the first encrypts, all decrypt. A key without an id is `k1`. */
export const encryptionKeyList = z
  .string()
  .transform((value) =>
    value.split(',').map((entry) => {
      const colon = entry.indexOf(':');
      return colon < 0
        ? { id: 'k1', key: Buffer.from(entry.trim(), 'base64') }
        : { id: entry.slice(0, colon).trim(), key: Buffer.from(entry.slice(colon + 1).trim(), 'base64') };
    }),
  )
  .refine((keys) => keys.every(({ id, key }) => key.length === 32 && /^[A-Za-z0-9_-]{1,16}$/.test(id)), {
    message: 'must be 32 bytes in base64, or id:base64 entries separated by commas',
  });

const HOURS = 'must be a number from 0 to 744';
const UNANSWERED_SECONDS = 86_400;
const SCALE = 'must be a number above 0 and at most 1';

const perMinute = (usual: number) => whole(1, 1_000_000).default(usual);

const ownSettings = z.object({
  NODE_ENV: z
    .string()
    .default('development')
    .describe('`production` disables everything that is for development only.'),
  PORT: port(3000).describe('Port of the API and the web pages. 0 means any free port, here and below.'),
  HERALD_HOST: z
    .string()
    .optional()
    .describe('Address to listen on. Default: `127.0.0.1` in development, `0.0.0.0` in production.'),
  HERALD_PUBLIC_URL: httpUrl
    .optional()
    .describe(
      'Public URL of the service. Required in production, and there `https` unless the host is private or this machine; in development it follows `HERALD_HOST` and the bound port.',
    ),
  HERALD_ROLES: roleList
    .optional()
    .describe(
      'Roles to run in this process: any of `api,worker,bots`. Default: all. `--roles` on the command line takes precedence.',
    ),
  HERALD_DATA_DIR: z
    .string()
    .default('.herald')
    .transform((dir) => path.resolve(dir))
    .describe('Directory for the data of the embedded servers.'),
  HERALD_SHUTDOWN_SECONDS: whole(1, 300)
    .default(20)
    .describe('How long a stopping process waits for requests in flight.'),
  HERALD_TRUST_PROXY: proxyCount
    .prefault('0')
    .describe(
      'How many reverse proxies in front of the service append to `X-Forwarded-For`, up to 10: the client’s address is that many entries from the right. `true` means 1, `false` 0.',
    ),

  DATABASE_URL: postgresUrl
    .optional()
    .describe(
      'URL of a PostgreSQL server (15 or newer), instead of the embedded one. Setting it means production.',
    ),
  HERALD_DATABASE_DIRECT_URL: postgresUrl
    .optional()
    .describe(
      'URL of the same database without a pooler, when `DATABASE_URL` is a pooler in transaction mode (PgBouncer). LISTEN, leader election, migrations and commands use it; statements are prepared by name only with `HERALD_DATABASE_PREPARED`.',
    ),
  HERALD_DATABASE_PREPARED: flag
    .prefault('false')
    .describe(
      'Whether the pooler of `DATABASE_URL` keeps statements that are prepared by name (PgBouncer 1.21 or newer with `max_prepared_statements`). Otherwise PostgreSQL plans each statement anew, which takes much of its CPU.',
    ),
  HERALD_DATABASE_POOL: whole(8, 500)
    .default(20)
    .describe(
      'PostgreSQL connections per process, all together. Logins, other API requests and background work each have an equal part of their own, as far as the roles of the process need it.',
    ),
  HERALD_PROJECT_CONNECTIONS: whole(1, 500)
    .default(3)
    .describe(
      'Connections of such a part that the requests of one project hold at once. Its further requests wait for each other, and get 503 after ten seconds.',
    ),
  HERALD_STATEMENT_TIMEOUT_SECONDS: whole(1, 600)
    .default(10)
    .describe(
      'After this time PostgreSQL ends a statement, or a transaction in which no statement runs; two seconds later the process closes a connection that is still silent. Migrations and commands have no limit.',
    ),
  HERALD_LOCK_TIMEOUT_SECONDS: whole(1, 600)
    .default(5)
    .describe('After this time a statement stops waiting for a lock of another transaction.'),
  HERALD_POSTGRES_PORT: port(54_329).describe('Port of the embedded PostgreSQL.'),

  TEMPORAL_ADDRESS: z
    .string()
    .regex(/^[^\s/]+:\d{1,5}$/, 'must be host:port')
    .optional()
    .describe('`host:port` of a Temporal server, instead of the embedded one.'),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default').describe('Temporal namespace.'),
  TEMPORAL_API_KEY: z.string().min(1).optional().describe('API key for Temporal Cloud; implies TLS.'),
  TEMPORAL_TLS: flag
    .optional()
    .describe('`true` to connect to Temporal with TLS. Implied by the certificate settings and the API key.'),
  TEMPORAL_TLS_CERT_FILE: readableFile.optional().describe('Client certificate for mTLS.'),
  TEMPORAL_TLS_KEY_FILE: readableFile.optional().describe('Private key of the client certificate.'),
  TEMPORAL_TLS_CA_FILE: readableFile
    .optional()
    .describe('CA certificate of the Temporal server, if it is not from a public CA.'),
  TEMPORAL_UI_URL: httpUrl
    .optional()
    .describe('URL of the Temporal UI, for the operators’ links in the dashboard (`HERALD_OPERATORS`).'),
  HERALD_TEMPORAL_CLI: z
    .string()
    .optional()
    .describe('Path of the `temporal` binary that runs the embedded server.'),
  HERALD_TEMPORAL_PORT: port(7233).describe('Port of the embedded Temporal server.'),
  HERALD_TEMPORAL_UI_PORT: port(8233).describe('Port of the embedded Temporal UI.'),
  HERALD_TASK_QUEUE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 characters of A-Za-z0-9_-')
    .default('herald')
    .describe('Prefix of the task queues. Use one per installation if several share a namespace.'),
  HERALD_CACHED_WORKFLOWS: whole(40, 100_000)
    .default(1_500)
    .describe(
      'Workflows that a worker process keeps in memory, of all kinds together. The default is for a process with 1 GiB; each further thousand takes about 300 MB. Others are read from Temporal again when they continue.',
    ),

  HERALD_METRICS_PORT: port(9464).describe(
    'Port of the Prometheus metrics (`/metrics`), of `/healthz` and of `/readyz`, in every process.',
  ),
  HERALD_LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Lowest log level.'),
  HERALD_LOG_FORMAT: oneOf(['json', 'pretty'])
    .optional()
    .describe('Log format. Default: `pretty` in a terminal, `json` otherwise.'),

  HERALD_ENCRYPTION_KEY: encryptionKeyList
    .optional()
    .describe(
      'Key for secrets at rest (AES-256-GCM): 32 bytes in base64 (`openssl rand -base64 32`), or `id:base64` entries separated by commas during a rotation: the first encrypts, all decrypt, and a key without an id is `k1`. docs/operations.md has the steps. Required in production; generated in the data directory in development.',
    ),
  HERALD_SUBSCRIBER_ID_FORMAT: oneOf(['uuid', 'prefixed'])
    .default('uuid')
    .describe('Format of subscriber ids in responses: a UUID, or `sub_` + base62. Requests accept both.'),

  HERALD_KEYLESS_BODY_KIB: whole(1, 1_024)
    .default(limits.keylessBodyBytes / KIB)
    .describe(
      'Largest body of a request without an API key: Mini App, sign-in, OpenID Connect, login pages. Forms have 1 MiB.',
    ),
  HERALD_ADDRESS_REQUESTS_PER_MINUTE: perMinute(limits.addressRequestsPerMinute).describe(
    'Requests without an API key per minute and address (IPv6: /64 network): pages, polls, forms, sign-in, OpenID Connect. Static files, probes and the token endpoint are not counted.',
  ),
  HERALD_MINI_REQUESTS_PER_MINUTE: perMinute(limits.miniRequestsPerMinute).describe(
    'POST requests of the Mini App per minute and address (IPv6: /64 network).',
  ),
  HERALD_FORM_SUBMISSIONS_PER_MINUTE: perMinute(limits.formSubmissionsPerMinute).describe(
    'Submissions of one form per minute, from its page and from sites.',
  ),
  HERALD_FORM_SUBMISSIONS_PER_ADDRESS_PER_MINUTE: perMinute(limits.formSubmissionsPerAddress).describe(
    'Submissions of one form per minute and address (IPv6: /64 network).',
  ),
  HERALD_OIDC_FAILURES_PER_MINUTE: perMinute(limits.oidcFailuresPerMinute).describe(
    'Failed client authentications at `/oidc/token` per minute and address (IPv6: /64 network); further ones are 429.',
  ),
  HERALD_OIDC_CLIENT_REQUESTS_PER_MINUTE: perMinute(limits.oidcClientRequestsPerMinute).describe(
    'Requests to `/oidc/token` per minute and client.',
  ),
  HERALD_OIDC_GRANT_REQUESTS_PER_MINUTE: perMinute(limits.oidcGrantRequestsPerMinute).describe(
    'Requests to `/oidc/token` per minute and grant: the refreshes of one login.',
  ),

  HERALD_OPEN_SIGNUP: flag
    .prefault('false')
    .describe('Whether anyone who signs in to the dashboard by messenger can create a project of their own.'),

  HERALD_OPERATORS: z
    .string()
    .transform((value) => value.split(',').map((entry) => entry.trim()))
    .pipe(z.array(z.string().regex(/^[a-z0-9]+:[^\s:]+$/, 'must be entries channel:user id')))
    .default([])
    .describe(
      'Messenger accounts of the operators, as `channel:user id` separated by commas (`telegram:123456789`). In the dashboard only they see links to the Temporal UI; in development everyone does.',
    ),

  HERALD_SIMULATOR_PORT: port(3001).describe(
    'Port of the messenger simulator (development only). The demo site takes port 4000 or, if it is taken, any free one.',
  ),
  HERALD_BOT_UPDATES: oneOf(['webhook', 'polling'])
    .optional()
    .describe(
      'How messenger updates are received. Default: `webhook` in production, `polling` in development.',
    ),
  HERALD_BOT_WEBHOOK_SECRET: z
    .string()
    .regex(/^[A-Za-z0-9_-]{16,256}$/, 'must be 16 to 256 characters of A-Za-z0-9_-')
    .optional()
    .describe('Secret that the messengers send with each update. Default: derived from the encryption key.'),

  HERALD_ALLOW_LOCAL_WEBHOOKS: flag
    .optional()
    .describe(
      '`true` to allow webhook endpoints over `http` and on loopback. Default: true in development, false in production, where `true` causes a warning at every start. Every other private address range stays forbidden.',
    ),
  HERALD_CODE_TTL_SECONDS: whole(1, 86_400)
    .default(limits.authCodeTtlSeconds)
    .describe(`Lifetime of a login code. For tests; in production at most ${limits.authCodeTtlSeconds}.`),
  HERALD_SESSION_TTL_SECONDS: whole(1, 86_400)
    .default(limits.authSessionTtlSeconds)
    .describe('How long a session waits for the user’s answer.'),
  HERALD_GRACE_HOURS: z.coerce
    .number({ error: HOURS })
    .min(0, { error: HOURS })
    .max(744, { error: HOURS })
    .default(limits.graceHours)
    .describe('Grace period after a project runs out of credits; at most one per calendar month.'),
  HERALD_MESSAGES_PER_SECOND: z.coerce
    .number()
    .positive()
    .max(10_000)
    .default(25)
    .describe(
      'Messages per second through each bot, across all processes: single messages first, then broadcasts. Telegram and MAX allow about 30; the rest is reserved for logins, which do not wait.',
    ),
  HERALD_RETENTION_DAYS: whole(1, 3650)
    .default(30)
    .describe('Retention of events, deliveries, ended sessions, messages, broadcasts and revoked keys.'),
  HERALD_DELIVERY_LANE: z
    .enum(laneSettings)
    .default('workflow')
    .describe(
      'Lane of webhook deliveries: `workflow` starts a workflow for every delivery; `express` makes the first attempt without one and starts a workflow only if it fails; `auto` uses the workflow lane unless starts do not keep up and a delivery has waited for two seconds, and then the express lane. An endpoint can override it (`delivery_lane`).',
    ),
  HERALD_RETRY_SCALE: z.coerce
    .number({ error: SCALE })
    .positive({ error: SCALE })
    .max(1, { error: SCALE })
    .default(1)
    .describe(
      'Factor applied to the times of the webhook retry policies. For tests; must be 1 in production.',
    ),
  HERALD_DRIP_SCALE: z.coerce
    .number({ error: SCALE })
    .positive({ error: SCALE })
    .max(1, { error: SCALE })
    .default(1)
    .describe('Factor applied to the delays of drip chains. For tests; must be 1 in production.'),
  HERALD_VIRTUAL_TICKET_DAYS: whole(1, 3650)
    .default(30)
    .describe(
      'After how many days a ticket of a form without a subscriber is closed if it is still `new` and has no public answer.',
    ),
  HERALD_UNANSWERED_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(UNANSWERED_SECONDS)
    .default(UNANSWERED_SECONDS)
    .describe(
      'After how long a ticket without an answer is reported by `ticket.unanswered_24h`. For tests; must be 86400 in production.',
    ),
});

/** Herald's own settings and those of the messengers. */
export function settingsWith(messengers: MessengerSettings[]) {
  return ownSettings.extend(variablesOf(messengers));
}

export interface Settings extends z.output<typeof ownSettings> {
  platforms: Record<Channel, PlatformSettings>;
}

export interface Config extends Settings {
  /** The embedded PostgreSQL is used and NODE_ENV is not `production`. */
  development: boolean;
  host: string;
  roles: Role[];
  allowLocalWebhooks: boolean;
  botUpdates: 'webhook' | 'polling';
}

/** Invalid settings: the name of each and what it should be, one sentence each. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}

/** Parses each setting on its own: enough for the commands, which run no service. */
export function readSettings(env: NodeJS.ProcessEnv, messengers: MessengerSettings[]): Settings {
  // Compose files and shells set a variable to an empty string to unset it.
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const parsed = settingsWith(messengers).safeParse(given, { error: issueText });
  if (parsed.success) {
    const values: Record<string, unknown> = parsed.data;
    return {
      ...(parsed.data as z.output<typeof ownSettings>),
      platforms: platformsIn(values, messengers),
    };
  }
  const found = parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`);
  throw new ConfigError([...new Set(found)]);
}

export function loadConfig(
  env: NodeJS.ProcessEnv,
  { roles, messengers }: { roles?: string | undefined; messengers: MessengerSettings[] },
): Config {
  const values = readSettings(roles === undefined ? env : { ...env, HERALD_ROLES: roles }, messengers);
  const development = values.DATABASE_URL === undefined && values.NODE_ENV !== 'production';
  const problems = [
    ...pairProblems(values),
    ...(development ? [] : [...productionProblems(values), ...unsafeSettings(values, messengers)]),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    ...values,
    development,
    host: values.HERALD_HOST ?? (development ? '127.0.0.1' : '0.0.0.0'),
    roles: values.HERALD_ROLES ?? [...roleNames],
    allowLocalWebhooks: values.HERALD_ALLOW_LOCAL_WEBHOOKS ?? development,
    botUpdates: values.HERALD_BOT_UPDATES ?? (development ? 'polling' : 'webhook'),
  };
}

/** Variables with our prefix that are no settings: probably misspelt. `HERALD_API_KEY` is for the CLI. */
export function unknownSettings(env: NodeJS.ProcessEnv): string[] {
  const isKnown = (name: string) =>
    name === 'HERALD_API_KEY' || name.startsWith('HERALD_TEST_') || name in ownSettings.shape;
  return Object.keys(env).filter((name) => /^HERALD_/.test(name) && !isKnown(name));
}

function pairProblems(values: Settings): string[] {
  if (values.TEMPORAL_TLS_CERT_FILE && !values.TEMPORAL_TLS_KEY_FILE) {
    return ['TEMPORAL_TLS_KEY_FILE: is required with TEMPORAL_TLS_CERT_FILE'];
  }
  if (values.TEMPORAL_TLS_KEY_FILE && !values.TEMPORAL_TLS_CERT_FILE) {
    return ['TEMPORAL_TLS_CERT_FILE: is required with TEMPORAL_TLS_KEY_FILE'];
  }
  if (values.HERALD_DATABASE_DIRECT_URL && !values.DATABASE_URL) {
    return ['DATABASE_URL: is required with HERALD_DATABASE_DIRECT_URL'];
  }
  if (values.HERALD_DATABASE_PREPARED && !values.HERALD_DATABASE_DIRECT_URL) {
    return ['HERALD_DATABASE_DIRECT_URL: is required with HERALD_DATABASE_PREPARED'];
  }
  return [];
}

function productionProblems(values: Settings): string[] {
  const problems: string[] = [];
  const need = (name: keyof Settings, what: string) => {
    if (values[name] === undefined) problems.push(`${name}: is required in production: ${what}`);
  };
  need('HERALD_ENCRYPTION_KEY', '32 random bytes in base64, for example from "openssl rand -base64 32"');
  need('HERALD_PUBLIC_URL', 'the public URL of the service');
  if (values.HERALD_CODE_TTL_SECONDS > limits.authCodeTtlSeconds) {
    problems.push(`HERALD_CODE_TTL_SECONDS: must be at most ${limits.authCodeTtlSeconds} in production`);
  }
  if (values.HERALD_RETRY_SCALE !== 1) problems.push('HERALD_RETRY_SCALE: must be 1 in production');
  if (values.HERALD_UNANSWERED_SECONDS !== UNANSWERED_SECONDS && values.NODE_ENV !== 'test') {
    problems.push('HERALD_UNANSWERED_SECONDS: must be 86400 in production');
  }
  if (values.HERALD_DRIP_SCALE !== 1 && values.NODE_ENV !== 'test') {
    problems.push('HERALD_DRIP_SCALE: must be 1 in production');
  }
  return problems;
}
