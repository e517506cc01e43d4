import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Cipher } from '../../../src/base/lib/cipher';
import { openKeyFile, readKeyFile } from '../../../src/local/key-file';
import { ownIdentity } from '../../../src/local/process-identity';
import { rotateEncryption } from '../../../src/process/operations/rotate-encryption';
import { sealedColumns } from '../../../src/process/roles/sealed-columns';
import { confirmedSession, createSession } from '../login/fixture';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { eventually } from '../../support/eventually';
import { createEndpoint } from '../webhooks/fixture';
import { herald, heraldJson, settingsOf } from './fixture';

jest.setTimeout(120_000);

const k1 = { id: 'k1', key: Buffer.alloc(32, 7) };
const k2 = { id: 'k2', key: Buffer.alloc(32, 9) };
const written = ({ id, key }: { id: string; key: Buffer }) => `${id}:${key.toString('base64')}`;

let service: TestService;
let project: TestProject;

beforeAll(async () => {
  // Its own: it rotates the key of every sealed value.
  service = await startTestService({ queues: ['logins', 'deliveries'] });
  project = await service.createProject();
});
afterAll(() => service?.stop());

interface Sealed {
  row: string;
  value: string;
}

async function sealedValues(): Promise<Record<'secrets' | 'starts' | 'codes' | 'responses', Sealed[]>> {
  const column = async (text: string) => (await service.pool.query<Sealed>(text)).rows;
  return {
    secrets: await column('SELECT endpoint_id AS row, sealed AS value FROM endpoint_secrets ORDER BY id'),
    starts: await column(
      'SELECT id AS row, start_sealed AS value FROM auth_sessions WHERE start_sealed IS NOT NULL ORDER BY id',
    ),
    codes: await column(
      'SELECT id AS row, code_sealed AS value FROM auth_sessions WHERE code_sealed IS NOT NULL',
    ),
    responses: await column('SELECT request_id AS row, response_sealed AS value FROM idempotency_keys'),
  };
}

test('every secret is sealed with the newest key, whatever stops it on the way, and opens to the same value', async () => {
  const endpoint = await createEndpoint(project, 'http://127.0.0.1:9/');
  const rotated = await project.api('POST', `/v1/webhooks/${endpoint.id}/rotate-secret`);
  await createSession(project);
  const key = { 'idempotency-key': 'kept-for-a-day' };
  const recorded = await project.api('POST', '/v1/auth/session', { state: 's' }, key);
  const { status } = await confirmedSession(service, project, 'keeps-the-code');
  const old = new Cipher([k1]);
  const before = await sealedValues();
  expect(before.secrets).toHaveLength(2);

  // Stopped after the first batch: the rest is found by the key that the values name.
  const both = new Cipher([k2, k1]);
  await expect(
    rotateEncryption(service.pool, both, sealedColumns, () => {
      throw new Error('stopped');
    }),
  ).rejects.toThrow('stopped');
  const keys = [k2, k1].map(written).join();
  const settings = { ...settingsOf(service), HERALD_ENCRYPTION_KEY: keys };
  const doctor = await herald(['doctor'], settings);
  expect(doctor.stdout).toMatch(/encryption key +\d+ values are still encrypted with k1/);
  expect(await heraldJson(['keys', 'rotate-encryption'], settings)).toEqual({
    key_id: 'k2',
    resealed: before.starts.length + before.codes.length + before.responses.length,
    unreadable: 0,
  });

  const after = await sealedValues();
  const alone = new Cipher([k2]);
  const opened = (cipher: Cipher, values: Sealed[], purpose: string) =>
    values.map(({ row, value }) => cipher.decrypt(value, purpose, row));
  expect(opened(alone, after.secrets, 'webhook_secret')).toEqual([endpoint.secret, rotated.body.secret]);
  expect(opened(alone, after.starts, 'start_token')).toEqual(opened(old, before.starts, 'start_token'));
  expect(opened(alone, after.codes, 'auth_code')).toEqual([status.code]);
  expect(opened(alone, after.responses, 'recorded_response')).toEqual([JSON.stringify(recorded.body)]);

  expect(await heraldJson(['keys', 'rotate-encryption'], settings)).toMatchObject({ resealed: 0 });
  const lost = await herald(['keys', 'rotate-encryption', '--json'], {
    ...settings,
    HERALD_ENCRYPTION_KEY: written({ id: 'k3', key: Buffer.alloc(32, 3) }),
  });
  expect(lost.code).toBe(1);
  expect(JSON.parse(lost.stdout)).toMatchObject({ resealed: 0, unreadable: 5 + before.starts.length - 1 });
});

describe('the key file of the embedded service', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'herald-keys-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  test('a new key stands before the old ones, which stay', async () => {
    const [first] = await openKeyFile(directory);
    expect(first?.id).toBe('k1');
    const settings = { HERALD_DATA_DIR: directory };
    const answer = await heraldJson(['keys', 'rotate-encryption', '--generate'], settings);
    expect(answer).toEqual({ key_id: 'k2', file: path.join(directory, 'encryption-key') });
    const [newest, old, ...rest] = await openKeyFile(directory);
    expect(newest?.id).toBe('k2');
    expect(newest?.key).not.toEqual(first?.key);
    expect([old, rest]).toEqual([first, []]);
    expect((await stat(path.join(directory, 'encryption-key'))).mode & 0o777).toBe(0o600);
  });

  test('a service that does not know the new key yet keeps both commands from going on', async () => {
    await openKeyFile(directory);
    // As a running service leaves it: this process is alive.
    const runtime = { ...ownIdentity(), encryption_key_id: 'k1', database_url: service.database.url };
    await writeFile(path.join(directory, 'runtime.json'), JSON.stringify(runtime));
    const settings = { HERALD_DATA_DIR: directory };
    await heraldJson(['keys', 'rotate-encryption', '--generate'], settings);
    const content = await readFile(path.join(directory, 'encryption-key'), 'utf8');
    expect((await herald(['keys', 'rotate-encryption'], settings)).stderr).toBe(
      'The service has not loaded key k2 yet: restart it, then run this command again.\n',
    );
    expect((await herald(['keys', 'rotate-encryption', '--generate'], settings)).stderr).toBe(
      'Key k2 is not in use yet: restart the service first.\n',
    );
    expect(await readFile(path.join(directory, 'encryption-key'), 'utf8')).toBe(content);
  });

  test('a damaged file is reported, and keys in the environment are not written to a file', async () => {
    await writeFile(path.join(directory, 'encryption-key'), 'not a key\n');
    await expect(readKeyFile(directory)).rejects.toThrow('contains no encryption key');
    const refused = await herald(['keys', 'rotate-encryption', '--generate'], {
      HERALD_DATA_DIR: directory,
      HERALD_ENCRYPTION_KEY: written(k1),
    });
    expect(refused.stderr).toMatch(/^The keys are set in HERALD_ENCRYPTION_KEY/);
  });
});

test('herald oidc rotate-keys: the service signs with new keys, and publishes the old ones for another day', async () => {
  const published = async () => {
    const response = await fetch(`${service.url}/oidc/jwks`);
    return ((await response.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  };
  const old = await published();
  const settings = settingsOf(service);
  const rotated = await heraldJson<{ created: string[]; expiring: number }>(
    ['oidc', 'rotate-keys'],
    settings,
  );
  expect(rotated).toEqual({ created: [expect.any(String), expect.any(String)], expiring: old.length });
  const both = await eventually(async () => {
    const now = await published();
    return now.length === old.length + 2 ? now : undefined;
  });
  expect([...both].sort()).toEqual([...old, ...rotated.created].sort());
  const { rows } = await service.pool.query<{ id: string; hours: number }>(
    `SELECT id, round(extract(epoch FROM expires_at - now()) / 3600)::int AS hours FROM oidc_keys WHERE expires_at IS NOT NULL`,
  );
  expect(rows.map(({ id }) => id).sort()).toEqual([...old].sort());
  expect(new Set(rows.map(({ hours }) => hours))).toEqual(new Set([24]));
  const { stdout } = await herald(['oidc', 'rotate-keys'], settings);
  expect(stdout).toBe('2 new keys sign from now on. 2 old ones stay published for 24 hours.\n');
});

test('every column with encrypted values is listed', async () => {
  const { rows } = await service.pool.query<{ name: string }>(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
     WHERE table_schema = current_schema() AND column_name ~ 'sealed$' ORDER BY 1`,
  );
  expect(sealedColumns.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(
    rows.map(({ name }) => name),
  );
});
