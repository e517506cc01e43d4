import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { limits } from './contract/limits';
import { laneSettings } from './webhooks/contract';

/*
 * One schema over the environment, parsed once. `docs/configuration.md` is generated from it, so the words
 * given to `describe` are the documentation, and those given as errors are what stops a start.
 */
function whole(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
}
function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}
const port = (fallback: number) => whole(0, 65_535).default(fallback);
const flag = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((value) => value === 'true');
const httpUrl = z
  .url({ protocol: /^https?$/, hostname: /.+/, error: 'must be an http or https address' })
  .transform((value) => value.replace(/\/+$/, ''));
const readableFile = z
  .string()
  .refine(isReadableFile, { error: 'must be the path of a file that can be read' });

export const roleNames = ['api', 'worker', 'bots'] as const;
export type Role = (typeof roleNames)[number];

const roleList = z
  .string()
  .transform((value) => value.split(',').map((role) => role.trim()))
  .pipe(z.array(z.enum(roleNames, { error: `must be a list of ${roleNames.join(', ')}` })).nonempty());

/** `<id>:<base64 of 32 bytes>`, newest first, separated by commas; a lone value has the id `k1`. */
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
    message: 'must be 32 bytes in base64, or id:base64 entries separated by commas, newest first',
  });

const HOURS = 'must be a number from 0 to 744';
const SCALE = 'must be a number above 0 and at most 1';

export const settings = z.object({
  NODE_ENV: z
    .string()
    .default('development')
    .describe('`production` switches off everything that belongs to development.'),
  PORT: port(3000).describe('Port of the API and the web pages. 0 means any free port, here and below.'),
  HERALD_HOST: z
    .string()
    .optional()
    .describe('Address to listen on. Default: `127.0.0.1` in development, `0.0.0.0` in production.'),
  HERALD_PUBLIC_URL: httpUrl
    .optional()
    .describe(
      'Address under which users and projects reach the service. Needed in production; in development it follows the bound port.',
    ),
  HERALD_ROLES: roleList
    .optional()
    .describe(
      'Parts to run in this process: any of `api,worker,bots`. Default: all. `--roles` on the command line wins.',
    ),
  HERALD_DATA_DIR: z
    .string()
    .default('.herald')
    .transform((dir) => path.resolve(dir))
    .describe('Where the embedded parts keep their data.'),
  HERALD_SHUTDOWN_SECONDS: whole(1, 300)
    .default(20)
    .describe('How long a stopping process may finish what it has begun.'),
  HERALD_TRUST_PROXY: flag
    .prefault('false')
    .describe('`true` when a reverse proxy in front sets `X-Forwarded-For`.'),

  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be an address that starts with postgres://')
    .refine(URL.canParse, 'must be an address that starts with postgres://')
    .optional()
    .describe('A PostgreSQL server (15 or newer) instead of the embedded one. Setting it means production.'),
  HERALD_DATABASE_POOL: whole(2, 500).default(20).describe('Connections to PostgreSQL for each process.'),
  HERALD_POSTGRES_PORT: port(54_329).describe('Port of the embedded PostgreSQL.'),

  TEMPORAL_ADDRESS: z
    .string()
    .regex(/^[^\s/]+:\d{1,5}$/, 'must be host:port')
    .optional()
    .describe('`host:port` of a Temporal server that already runs, instead of the embedded one.'),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default').describe('Temporal namespace.'),
  TEMPORAL_API_KEY: z.string().min(1).optional().describe('API key for Temporal Cloud; implies TLS.'),
  TEMPORAL_TLS: flag
    .optional()
    .describe('`true` to speak TLS to Temporal. Implied by the certificate settings and the API key.'),
  TEMPORAL_TLS_CERT_FILE: readableFile.optional().describe('Client certificate for mTLS.'),
  TEMPORAL_TLS_KEY_FILE: readableFile.optional().describe('Private key of the client certificate.'),
  TEMPORAL_TLS_CA_FILE: readableFile
    .optional()
    .describe('CA certificate of the Temporal server, where it is not a public one.'),
  TEMPORAL_UI_URL: httpUrl.optional().describe('Address of the Temporal web UI, for links in the dashboard.'),
  HERALD_TEMPORAL_CLI: z
    .string()
    .optional()
    .describe('Path of the `temporal` program that runs the embedded server.'),
  HERALD_TEMPORAL_PORT: port(7233).describe('Port of the embedded Temporal server.'),
  HERALD_TEMPORAL_UI_PORT: port(8233).describe('Port of the embedded Temporal web UI.'),
  HERALD_TASK_QUEUE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 characters of A-Za-z0-9_-')
    .default('herald')
    .describe('Prefix of the task queues, to keep several installations on one namespace apart.'),

  HERALD_METRICS_PORT: port(9464).describe(
    'Port of the Prometheus metrics (`/metrics`), of `/healthz` and of `/readyz`, in every process.',
  ),
  HERALD_LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least level of log lines.'),
  HERALD_LOG_FORMAT: oneOf(['json', 'pretty'])
    .optional()
    .describe('Form of log lines. Default: `pretty` in a terminal, `json` otherwise.'),

  HERALD_ENCRYPTION_KEY: encryptionKeyList
    .optional()
    .describe(
      'Key for secrets at rest (AES-256-GCM): 32 bytes in base64 (`openssl rand -base64 32`), or `id:base64` entries separated by commas, newest first, while a rotation is under way. Needed in production; generated once into the data directory in development.',
    ),
  HERALD_PAYLOAD_KEYS: encryptionKeyList
    .optional()
    .describe(
      'Keys, written like those of `HERALD_ENCRYPTION_KEY`, that encrypt everything in Temporal except ids and search attributes. Without them payloads are readable in the Temporal UI; they hold ids and states only. An old key must stay in the list until the last history that it sealed is gone.',
    ),
  HERALD_CODEC_PORT: port(8234).describe(
    'Port of `herald codec-server`, which decrypts payloads for the Temporal UI.',
  ),
  HERALD_CODEC_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, 'must be at least 16 characters without spaces')
    .optional()
    .describe('What users of `herald codec-server` have to know.'),
  HERALD_SUBSCRIBER_ID_FORMAT: oneOf(['uuid', 'prefixed'])
    .default('uuid')
    .describe('Public form of subscriber ids: a plain UUID, or `sub_` + base62. Both are always accepted.'),

  HERALD_SIMULATOR_PORT: port(3001).describe('Port of the messenger simulator (development only).'),
  TELEGRAM_BOT_TOKEN: z
    .string()
    .regex(/^\d+:[A-Za-z0-9_-]{20,}$/, 'must be a token from BotFather')
    .optional()
    .describe(
      'Token of the Telegram bot. Without it the channel runs on the simulator in development and is not offered in production.',
    ),
  MAX_BOT_TOKEN: z
    .string()
    .min(10, 'must be a token from MAX')
    .optional()
    .describe('Token of the MAX bot, likewise.'),
  TELEGRAM_API_ROOT: httpUrl
    .prefault('https://api.telegram.org')
    .describe('Root of the Telegram Bot API, for a local Bot API server.'),
  MAX_API_ROOT: httpUrl.prefault('https://platform-api2.max.ru').describe('Root of the MAX Bot API.'),
  HERALD_BOT_UPDATES: oneOf(['webhook', 'polling'])
    .optional()
    .describe(
      'How updates of the messengers arrive. Default: `webhook` in production, `polling` in development.',
    ),
  HERALD_BOT_WEBHOOK_SECRET: z
    .string()
    .regex(/^[A-Za-z0-9_-]{16,256}$/, 'must be 16 to 256 characters of A-Za-z0-9_-')
    .optional()
    .describe('Secret that the messengers send with each update. Default: derived from the encryption key.'),

  HERALD_ALLOW_LOCAL_WEBHOOKS: flag
    .optional()
    .describe(
      '`true` to accept webhook receivers over `http` and on loopback. Default: true in development, false in production. Every other forbidden address range stays forbidden.',
    ),
  HERALD_CODE_TTL_SECONDS: whole(1, 86_400)
    .default(limits.authCodeTtlSeconds)
    .describe(`Life of a login code. For tests; production refuses more than ${limits.authCodeTtlSeconds}.`),
  HERALD_SESSION_TTL_SECONDS: whole(1, 86_400)
    .default(limits.authSessionTtlSeconds)
    .describe('How long a login session waits for the user.'),
  HERALD_GRACE_HOURS: z.coerce
    .number({ error: HOURS })
    .min(0, { error: HOURS })
    .max(744, { error: HOURS })
    .default(limits.graceHours)
    .describe(
      'Grace period after the credits of a project are used up; at most one begins in a calendar month.',
    ),
  HERALD_BROADCAST_PER_SECOND: z.coerce
    .number()
    .positive()
    .max(10_000)
    .default(25)
    .describe(
      'Messages a second that broadcasts send through each bot, over all processes. Telegram and MAX take about 30; the rest is left to logins and single messages.',
    ),
  HERALD_RETENTION_DAYS: whole(1, 3650)
    .default(30)
    .describe('How long events, deliveries and ended sessions are kept.'),
  HERALD_DELIVERY_LANE: z
    .enum(laneSettings)
    .default('workflow')
    .describe(
      'How a webhook delivery begins. `workflow`: as a workflow, from its first attempt. `express`: the worker makes the first attempt itself, and a workflow starts only if that fails. `auto`: as a workflow while the relay keeps up; a delivery that could have been started two seconds ago goes express. An endpoint can choose for itself (`delivery_lane`).',
    ),
  HERALD_RETRY_SCALE: z.coerce
    .number({ error: SCALE })
    .positive({ error: SCALE })
    .max(1, { error: SCALE })
    .default(1)
    .describe(
      'Factor on the times of the webhook retry schedule. For tests; production refuses anything but 1.',
    ),
});

export type Settings = z.output<typeof settings>;

export interface Config extends Settings {
  /** The embedded PostgreSQL is used and NODE_ENV is not `production`. */
  development: boolean;
  host: string;
  roles: Role[];
  allowLocalWebhooks: boolean;
  botUpdates: 'webhook' | 'polling';
}

/** A setting that stops the start: its name and what it should be, in one sentence each. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}

/** What the environment says, each setting valid by itself: enough for the commands, which serve nobody. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  // An empty variable is how compose files and shells say "not set".
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const parsed = settings.safeParse(given);
  if (parsed.success) return parsed.data;
  const found = parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`);
  throw new ConfigError([...new Set(found)]);
}

export function loadConfig(env: NodeJS.ProcessEnv, roles?: string): Config {
  const values = readSettings(roles === undefined ? env : { ...env, HERALD_ROLES: roles });
  const development = values.DATABASE_URL === undefined && values.NODE_ENV !== 'production';
  const problems = [...pairProblems(values), ...(development ? [] : productionProblems(values))];
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

/** Names that look like ours and mean nothing: most likely misspelt. */
export function unknownSettings(env: NodeJS.ProcessEnv): string[] {
  return Object.keys(env).filter(
    (name) => /^HERALD_/.test(name) && !name.startsWith('HERALD_TEST_') && !(name in settings.shape),
  );
}

function isReadableFile(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function pairProblems(values: Settings): string[] {
  if (values.TEMPORAL_TLS_CERT_FILE && !values.TEMPORAL_TLS_KEY_FILE) {
    return ['TEMPORAL_TLS_KEY_FILE: is needed together with TEMPORAL_TLS_CERT_FILE'];
  }
  if (values.TEMPORAL_TLS_KEY_FILE && !values.TEMPORAL_TLS_CERT_FILE) {
    return ['TEMPORAL_TLS_CERT_FILE: is needed together with TEMPORAL_TLS_KEY_FILE'];
  }
  return [];
}

function productionProblems(values: Settings): string[] {
  const problems: string[] = [];
  const need = (name: keyof Settings, what: string) => {
    if (values[name] === undefined) problems.push(`${name}: is needed in production: ${what}`);
  };
  need('HERALD_ENCRYPTION_KEY', '32 random bytes in base64, for example from "openssl rand -base64 32"');
  need('HERALD_PUBLIC_URL', 'the address under which users reach the service');
  if (values.HERALD_CODE_TTL_SECONDS > limits.authCodeTtlSeconds) {
    problems.push(`HERALD_CODE_TTL_SECONDS: must be at most ${limits.authCodeTtlSeconds} in production`);
  }
  if (values.HERALD_RETRY_SCALE !== 1) problems.push('HERALD_RETRY_SCALE: must be 1 in production');
  return problems;
}
