import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError, unknownSettings } from '../../src/base/config';
import { configurationReference } from '../../src/process/config-reference';
import { loadConfig, settings } from '../../src/process/settings';
import { settingWarnings } from '../../src/base/config/unsafe-settings';

const key = Buffer.alloc(32, 1).toString('base64');
const production = {
  NODE_ENV: 'production',
  HERALD_ENCRYPTION_KEY: key,
  HERALD_PUBLIC_URL: 'https://herald.example.com',
};

function problems(env: Record<string, string>, roles?: string): string[] {
  try {
    loadConfig(env, roles);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('settings', () => {
  it('need nothing at all in development', () => {
    const config = loadConfig({});
    expect(config).toMatchObject({
      development: true,
      host: '127.0.0.1',
      PORT: 3000,
      HERALD_SIMULATOR_PORT: 3001,
      HERALD_CODE_TTL_SECONDS: 300,
      HERALD_SESSION_TTL_SECONDS: 1800,
      roles: ['api', 'worker', 'bots'],
      allowLocalWebhooks: true,
      botUpdates: 'polling',
    });
    expect(config.HERALD_DATA_DIR).toBe(path.resolve('.herald'));
  });

  it('that are empty or blank count as not set', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: '', HERALD_LOG_LEVEL: '  ' })).toMatchObject({
      PORT: 3000,
      HERALD_LOG_LEVEL: 'info',
      development: true,
    });
  });

  it.each([
    ['PORT', 'abc', 'must be a whole number from 0 to 65535'],
    ['PORT', '70000', 'must be a whole number from 0 to 65535'],
    ['HERALD_METRICS_PORT', '1.5', 'must be a whole number from 0 to 65535'],
    ['HERALD_PUBLIC_URL', 'herald.example.com', 'must be an http or https URL'],
    ['HERALD_PUBLIC_URL', 'ftp://herald.example.com', 'must be an http or https URL'],
    ['HERALD_ROLES', 'api,boss', 'must be a list of api, worker, bots'],
    ['HERALD_SHUTDOWN_SECONDS', '0', 'must be a whole number from 1 to 300'],
    ['HERALD_TRUST_PROXY', 'yes', 'must be a whole number from 0 to 10, true or false'],
    ['HERALD_TRUST_PROXY', '11', 'must be a whole number from 0 to 10, true or false'],
    ['HERALD_TRUST_PROXY', '-1', 'must be a whole number from 0 to 10, true or false'],
    ['HERALD_DATABASE_POOL', '1', 'must be a whole number from 8 to 500'],
    ['DATABASE_URL', 'mysql://localhost/herald', 'must be a URL that starts with postgres://'],
    ['TEMPORAL_ADDRESS', 'https://temporal.example.com', 'must be host:port'],
    ['TEMPORAL_TLS', '1', 'must be true or false'],
    ['TEMPORAL_TLS_CA_FILE', '/nowhere/ca.pem', 'must be the path of a readable file'],
    ['HERALD_TASK_QUEUE_PREFIX', 'a b', 'must be 1 to 64 characters of A-Za-z0-9_-'],
    ['HERALD_LOG_LEVEL', 'loud', 'must be one of trace, debug, info, warn, error, fatal, silent'],
    ['HERALD_LOG_FORMAT', 'xml', 'must be one of json, pretty'],
    [
      'HERALD_ENCRYPTION_KEY',
      'short',
      'must be 32 bytes in base64, or id:base64 entries separated by commas',
    ],
    ['HERALD_SUBSCRIBER_ID_FORMAT', 'base62', 'must be one of uuid, prefixed'],
    ['TELEGRAM_BOT_TOKEN', 'token', 'must be a token from BotFather'],
    ['MAX_BOT_TOKEN', 'short', 'must be a token from MAX'],
    ['HERALD_BOT_UPDATES', 'push', 'must be one of webhook, polling'],
    ['HERALD_BOT_WEBHOOK_SECRET', 'a', 'must be 16 to 256 characters of A-Za-z0-9_-'],
    ['HERALD_ALLOW_LOCAL_WEBHOOKS', 'maybe', 'must be true or false'],
    ['HERALD_CODE_TTL_SECONDS', '-1', 'must be a whole number from 1 to 86400'],
    ['HERALD_SESSION_TTL_SECONDS', 'x', 'must be a whole number from 1 to 86400'],
    ['HERALD_GRACE_HOURS', '1000', 'must be a number from 0 to 744'],
    ['HERALD_RETENTION_DAYS', '0', 'must be a whole number from 1 to 3650'],
    ['HERALD_RETRY_SCALE', '2', 'must be a number above 0 and at most 1'],
  ])('stop the start when wrong: %s=%s %s', (name, value, expectation) => {
    expect(problems({ [name]: value })).toEqual([`${name}: ${expectation}`]);
  });

  it('are named all at once when several are wrong, each once', () => {
    expect(problems({ PORT: 'x', HERALD_ROLES: 'a,b', HERALD_TRUST_PROXY: '?' })).toEqual([
      'PORT: must be a whole number from 0 to 65535',
      'HERALD_ROLES: must be a list of api, worker, bots',
      'HERALD_TRUST_PROXY: must be a whole number from 0 to 10, true or false',
    ]);
  });

  it('never repeat a secret in what they complain about', () => {
    const secret = 'postgre://user:hunter2@db/herald';
    expect(problems({ DATABASE_URL: secret, TELEGRAM_BOT_TOKEN: 'hunter2' }).join()).not.toContain('hunter2');
  });

  it('for a client certificate come in pairs', () => {
    expect(problems({ TEMPORAL_TLS_CERT_FILE: __filename })).toEqual([
      'TEMPORAL_TLS_KEY_FILE: is required with TEMPORAL_TLS_CERT_FILE',
    ]);
    expect(problems({ TEMPORAL_TLS_KEY_FILE: __filename })).toEqual([
      'TEMPORAL_TLS_CERT_FILE: is required with TEMPORAL_TLS_KEY_FILE',
    ]);
  });

  it('let --roles win over HERALD_ROLES', () => {
    expect(loadConfig({ HERALD_ROLES: 'worker' }, 'api, bots').roles).toEqual(['api', 'bots']);
    expect(problems({}, 'chef')).toEqual(['HERALD_ROLES: must be a list of api, worker, bots']);
  });

  it('that look like ours and are not known are found', () => {
    const env = {
      HERALD_PUBLIC_ULR: 'x',
      HERALD_TEST_LOG: 'info',
      HERALD_DATA_DIR: 'd',
      HERALD_API_KEY: 'of the CLI',
      PATH: '/bin',
    };
    expect(unknownSettings(env)).toEqual(['HERALD_PUBLIC_ULR']);
  });
});

describe('production', () => {
  const needed = [
    'HERALD_ENCRYPTION_KEY: is required in production: 32 random bytes in base64, for example from "openssl rand -base64 32"',
    'HERALD_PUBLIC_URL: is required in production: the public URL of the service',
  ];

  it('is what NODE_ENV=production or a database of your own mean, and needs a key and an address', () => {
    expect(problems({ NODE_ENV: 'production' })).toEqual(needed);
    expect(problems({ DATABASE_URL: 'postgres://db/herald' })).toEqual(needed);
  });

  it('listens everywhere, takes bot updates by webhook and no local receivers', () => {
    expect(loadConfig(production)).toMatchObject({
      development: false,
      host: '0.0.0.0',
      allowLocalWebhooks: false,
      botUpdates: 'webhook',
    });
    expect(loadConfig({ ...production, HERALD_HOST: '10.0.0.1' }).host).toBe('10.0.0.1');
  });

  it('refuses a longer life of codes and another pace of retries', () => {
    expect(problems({ ...production, HERALD_CODE_TTL_SECONDS: '301', HERALD_RETRY_SCALE: '0.5' })).toEqual([
      'HERALD_CODE_TTL_SECONDS: must be at most 300 in production',
      'HERALD_RETRY_SCALE: must be 1 in production',
    ]);
  });

  it('refuses another time of unanswered tickets and another pace of chains, also without NODE_ENV', () => {
    const { NODE_ENV: _, ...others } = production;
    const hurried = { HERALD_UNANSWERED_SECONDS: '60', HERALD_DRIP_SCALE: '0.5' };
    for (const given of [production, { ...others, DATABASE_URL: 'postgres://db/herald' }]) {
      expect(problems({ ...given, ...hurried })).toEqual([
        'HERALD_UNANSWERED_SECONDS: must be 86400 in production',
        'HERALD_DRIP_SCALE: must be 1 in production',
      ]);
    }
    expect(problems(hurried)).toEqual([]);
    expect(problems({ ...production, ...hurried, NODE_ENV: 'test' })).toEqual([]);
  });

  it.each(['http://herald.example.com', 'http://8.8.8.8:3000', 'http://[2001:4860:4860::8888]'])(
    'refuses URLs that carry secrets unencrypted over a public network: %s',
    (url) => {
      const why = (secrets: string) =>
        `must use https in production, unless its host is private: ${secrets} would cross the network unencrypted`;
      expect(problems({ ...production, HERALD_PUBLIC_URL: url, TELEGRAM_API_ROOT: url })).toEqual([
        `HERALD_PUBLIC_URL: ${why('keys, codes and session cookies')}`,
        `TELEGRAM_API_ROOT: ${why('the bot’s token')}`,
      ]);
      expect(problems({ HERALD_PUBLIC_URL: url })).toEqual([]);
    },
  );

  it.each([
    'http://localhost:3000',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'http://192.168.1.5',
    'http://10.0.0.5:8080',
    'http://[fd00::1]',
    'http://herald:3000',
    'http://herald.internal',
  ])('takes an http URL of a private host: %s', (url) => {
    expect(problems({ ...production, HERALD_PUBLIC_URL: url })).toEqual([]);
  });

  it('warns of settings that open the network of the service or weaken its limits', () => {
    const warnings = (env: Record<string, string>) => settingWarnings(loadConfig({ ...production, ...env }));
    expect(warnings({ HERALD_TRUST_PROXY: '1' })).toEqual([]);
    expect(warnings({ HERALD_TRUST_PROXY: '1', HERALD_ALLOW_LOCAL_WEBHOOKS: 'true' })).toEqual([
      expect.stringMatching(/^HERALD_ALLOW_LOCAL_WEBHOOKS is true/),
    ]);
    expect(warnings({})).toEqual([expect.stringMatching(/^HERALD_TRUST_PROXY is 0/)]);
    expect(warnings({ HERALD_PUBLIC_URL: 'http://10.0.0.5' })).toEqual([]);
  });

  it('takes several encryption keys, in their order, while one is replaced', () => {
    const config = loadConfig({ ...production, HERALD_ENCRYPTION_KEY: `k2:${key},k1:${key}` });
    expect(config.HERALD_ENCRYPTION_KEY?.map(({ id }) => id)).toEqual(['k2', 'k1']);
  });
});

describe('docs/configuration.md', () => {
  it('is what "npm run docs:configuration" writes', () => {
    const file = path.join(__dirname, '../..', 'docs', 'configuration.md');
    expect(readFileSync(file, 'utf8')).toBe(configurationReference());
  });

  it('describes every setting', () => {
    const text = configurationReference();
    for (const [name, schema] of Object.entries(settings().shape)) {
      expect(text).toContain(`| \`${name}\` |`);
      expect(schema.description).toMatch(/\.$/);
    }
    // A default is shown also where the value is transformed.
    expect(text).toContain('| `HERALD_OPEN_SIGNUP` | `true`, `false` | `false` |');
  });
});
