import fc from 'fast-check';
import { encodeCursor } from '../../../src/base/contract/cursor';
import { errorTable, isErrorCode, isRetryable } from '../../../src/base/contract/errors';
import { eventually } from '../../support/eventually';
import { readText } from '../../support/read-text';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { patience, runs } from '../../support/fuzz';

interface Operation {
  method: string;
  path: string;
  statuses: string[];
  parameters: { name: string; in: string }[];
  fields: string[];
}

interface Target {
  url: string;
  key: string;
  /** Of things that the project has. */
  ids: string[];
}

interface Attempt {
  params: string[];
  query: [string, string][];
  headers: [string, string][];
  type: string;
  body: string;
}

/** The same cases in every run; another number tries others. */
const SEED = 20_260_115;
const RUNS_PER_OPERATION = 15;

/** Stands for the id of something that exists. */
const KNOWN = '@known';
const uuid = '00000000-0000-4000-8000-000000000000';
const nasty = fc.constantFrom(
  '',
  '0',
  '-1',
  '1e309',
  'null',
  'true',
  uuid,
  `${uuid}'; DROP TABLE projects; --`,
  '../../etc/passwd',
  '%00',
  '\0',
  '\ud800',
  '🔔'.repeat(50),
  '<script>alert(1)</script>',
  '__proto__',
  'a'.repeat(5_000),
  '2026-13-45T99:99:99Z',
  '0001-01-01T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+10:00',
  '9999-12-31T23:59:59-10:00',
  '2026-01-01T00:00:00+23:59',
  `2026-01-01T00:00:00.${'0'.repeat(200)}Z`,
  encodeCursor({ at: '0000-01-01T00:00:00.000000Z', id: uuid }),
  encodeCursor({ at: '2026-02-31T00:00:00.000000Z', id: uuid }),
  '+275760-09-13T00:00:00.001Z',
  'https://example.com/hook',
  'http://169.254.169.254/',
  'https://user:pass@example.com/#x',
  'https://[::1',
  'auth_demo',
  `sub_${'z'.repeat(22)}`,
);
const text = fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 40 }));
const json = fc.oneof(
  { weight: 2, arbitrary: text },
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown> },
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2 ** 53, 1e300, [], {}, [null], { a: { b: {} } }),
);

function bodyFor(fields: string[]): fc.Arbitrary<string> {
  const known = fc.dictionary(fields.length > 0 ? fc.constantFrom(...fields) : fc.string(), json);
  return fc.oneof(
    { weight: 6, arbitrary: known.map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: json.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.json().map((value) => value.slice(0, -1)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', '{', '\0', '['.repeat(100_000), `{"a":"${'x'.repeat(1_100_000)}"}`),
    },
  );
}

function attemptOn({ path, parameters, fields }: Operation): fc.Arbitrary<Attempt> {
  const named = (place: string) => parameters.filter((entry) => entry.in === place).map(({ name }) => name);
  const entries = (names: string[]) =>
    fc.array(fc.tuple(fc.constantFrom(...names, 'unknown', '__proto__'), text), { maxLength: 4 });
  const count = [...path.matchAll(/\{\w+\}/g)].length;
  return fc.record({
    params: fc.array(fc.oneof(text, fc.constant(uuid), { weight: 2, arbitrary: fc.constant(KNOWN) }), {
      minLength: count,
      maxLength: count,
    }),
    query: entries(named('query')),
    headers: entries(named('header')),
    type: fc.constantFrom(
      ...Array<string>(8).fill('application/json'),
      'text/plain',
      'application/json; charset=x',
      'a',
    ),
    body: bodyFor(fields),
  });
}

async function listOperations(url: string): Promise<Operation[]> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any -- read only here
  };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      statuses: Object.keys(operation.responses),
      parameters: operation.parameters,
      fields: Object.keys(operation.requestBody?.content['application/json']?.schema.properties ?? {}),
    })),
  );
}

async function send({ url, key, ids }: Target, operation: Operation, attempt: Attempt): Promise<Response> {
  const params = attempt.params.map((param, n) =>
    param === KNOWN ? (ids[(n + attempt.body.length) % ids.length] ?? uuid) : param,
  );
  const encode = (value: string) => encodeURIComponent(wellFormed(value)) || '%20';
  const path = operation.path.replaceAll(/\{\w+\}/g, () => encode(params.shift() ?? ''));
  const query = new URLSearchParams(attempt.query).toString();
  const headers = new Headers({ authorization: `Bearer ${key}` });
  for (const [name, value] of attempt.headers) {
    // What HTTP itself cannot carry never reaches the service.
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value) && /^[A-Za-z-]+$/.test(name)) headers.append(name, value);
  }
  const hasBody = operation.method !== 'GET' && attempt.body !== '';
  if (hasBody) headers.set('content-type', attempt.type);
  return fetch(`${url}${path}${query ? `?${query}` : ''}`, {
    method: operation.method,
    headers,
    redirect: 'manual',
    ...(hasBody ? { body: attempt.body } : {}),
  });
}

/** Halves of surrogate pairs cannot stand in an address. */
function wellFormed(value: string): string {
  return Buffer.from(value, 'utf8').toString('utf8');
}

async function check(operation: Operation, response: Response): Promise<void> {
  const answer = await readText(response);
  if (response.status < 400) return expect(operation.statuses).toContain(String(response.status));
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  const body = JSON.parse(answer) as { error: string; code: string; retryable: boolean; docs_url: string };
  expect(Object.keys(body).sort()).toEqual(['code', 'docs_url', 'error', 'retryable']);
  if (!isErrorCode(body.code)) throw new Error(`unknown code: ${body.code}`);
  expect(body.code).not.toBe('internal_error');
  expect({ status: response.status, retryable: body.retryable }).toEqual({
    status: errorTable[body.code].status,
    retryable: isRetryable(body.code),
  });
  expect(body.docs_url.endsWith(`#${body.code}`)).toBe(true);
  expect(operation.statuses).toContain(String(response.status));
}

/** A template, a batch, a scheduled and a recurring message, a chain, a form with a submission, and a ticket with a type. */
async function createEntries(api: TestProject['api']): Promise<unknown[]> {
  const content = { text: 'x' };
  const template = await api('POST', '/v1/templates', { key: 'known', variants: { en: content } });
  const batch = await api('POST', '/v1/send/batch', { messages: [{ external_id: 'a', text: 'x' }] });
  const at = new Date(Date.now() + 86_400_000).toISOString();
  const scheduled = await api('POST', '/v1/scheduled', { external_id: 'a', content, scheduled_at: at });
  const recurring = await api('POST', '/v1/recurring', {
    name: 'Yearly',
    content,
    audience: {},
    cron: '0 0 1 1 *',
  });
  const chain = await api('POST', '/v1/drip-chains', {
    name: 'Chain',
    trigger: { type: 'manual' },
    steps: [{ id: 'a', type: 'end' }],
    status: 'active',
  });
  const form = await api('POST', '/v1/forms', {
    name: 'Form',
    fields: [{ key: 'a', type: 'text', label_en: 'A' }],
    allowed_origins: ['*'],
  });
  const submission = await api('POST', `/f/${form.body.form_id}`, { a: 'x' });
  await api('PATCH', '/v1/helpdesk', { enabled: true });
  const type = await api('POST', '/v1/helpdesk/types', { name_en: 'Type', name_ru: 'Тип' });
  const ticket = await api('POST', '/v1/helpdesk/tickets', { customer: { name: 'Ann' }, text: 'x' });
  return [
    submission.body.submission_id,
    type.body.type_id,
    ticket.body.ticket_id,
    template.body.key,
    batch.body.batch_id,
    scheduled.body.scheduled_id,
    recurring.body.recurring_id,
    chain.body.drip_id,
    form.body.form_id,
  ];
}

/** Some things to find, so that ids lead further than to a 404. */
async function createThings({ api }: TestProject): Promise<string[]> {
  const endpoint = await api('POST', '/v1/webhooks', { url: 'https://example.com/hook' });
  const test = await api('POST', `/v1/webhooks/${endpoint.body.id}/test`);
  const session = await api('POST', '/v1/auth/session', { state: 'fuzz' });
  const entries = await createEntries(api);
  const ids = [endpoint.body.id, test.body.delivery_id, session.body.session_id, ...entries];
  expect(ids).toEqual(ids.map(() => expect.any(String)));
  return ids;
}

describe('whatever is sent', () => {
  let service: Installation;
  let target: Target;
  let operations: Operation[];

  beforeAll(async () => {
    service = await useService();
    const project = await service.createProject({ callback_url: 'https://example.com/callback' });
    target = { url: service.url, key: project.api_key, ids: await createThings(project) };
    operations = await listOperations(service.url);
  });
  afterAll(() => service.stop());

  it(
    'gets a documented status, the envelope where it is an error, and never a 500',
    async () => {
      expect(operations.length).toBeGreaterThan(2);
      for (const operation of operations) {
        await fc.assert(
          fc.asyncProperty(attemptOn(operation), async (attempt) => {
            await check(operation, await send(target, operation, attempt));
          }),
          { ...runs(RUNS_PER_OPERATION, SEED), endOnFailure: true },
        );
      }
      await eventually(async () => (await fetch(`${service.url}/readyz`)).status === 200);
    },
    patience(300_000),
  );

  it('gets not_found or method_not_allowed on paths and methods that do not exist', async () => {
    const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS');
    await fc.assert(
      fc.asyncProperty(method, fc.array(text, { minLength: 1, maxLength: 4 }), async (verb, segments) => {
        const path = segments.map((segment) => encodeURIComponent(wellFormed(segment))).join('/');
        const response = await fetch(`${service.url}/v1/~/${path}`, { method: verb });
        expect(response.status).toBe(404);
        expect(await response.json()).toMatchObject({ code: 'not_found', retryable: false });
      }),
      runs(60, SEED),
    );
  });
});
