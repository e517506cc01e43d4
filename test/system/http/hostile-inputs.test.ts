import { KIB, limits, MIB } from '../../../src/base/contract/limits';
import { longestStall } from '../../support/longest-stall';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { expectError } from './fixture';

jest.setTimeout(120_000);

let service: TestService;
let project: TestProject;
beforeAll(async () => {
  // Its own: it runs in this process, whose longest pause is measured.
  service = await startTestService({ queues: [], env: { HERALD_KEYLESS_BODY_KIB: '8' } });
  project = await service.createProject();
});
afterAll(() => service.stop());

const postTo = (path: string, body: string, type = 'application/json') =>
  fetch(service.url + path, { method: 'POST', headers: { 'content-type': type }, body });

test.each([
  ['/mini/subscribe', 'application/json'],
  ['/dashboard/login', 'application/json'],
  ['/oidc/token', 'application/x-www-form-urlencoded'],
  ['/oidc/auth', 'application/x-www-form-urlencoded'],
])('a body to %s of more than a request without a key may have is refused', async (path, type) => {
  const response = await postTo(path, 'x'.repeat(8 * KIB + 1), type);
  expect([response.status, await response.json()]).toEqual([
    413,
    expect.objectContaining({ code: 'payload_too_large', error: 'The request body is larger than 8 KiB.' }),
  ]);
  const chunks = new ReadableStream({
    start(controller) {
      for (let n = 0; n < 20; n += 1) controller.enqueue(Buffer.alloc(KIB, 'x'));
      controller.close();
    },
  });
  const chunked = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': type },
    body: chunks,
    duplex: 'half',
  } as RequestInit);
  expect(chunked.status).toBe(413);
});

test.each([
  ['lists in lists', '['.repeat(MIB)],
  ['numbers', `[${'1,'.repeat(MIB / 2 - 2)}1]`],
  ['objects', `[${'{},'.repeat(MIB / 3 - 2)}1]`],
  ['names', `{${Array.from({ length: 60_000 }, (_, n) => `"n${n}":1`).join()}}`],
])('a mebibyte of %s costs no more than a mebibyte of text', async (_name, hostile) => {
  const send = (body: string) =>
    longestStall(() => project.api('POST', '/v1/tags', body, { 'content-type': 'application/json' }));
  const benign = JSON.stringify({ name: 'x'.repeat(MIB - 100) });
  const stalls = { benign: 0, hostile: Infinity };
  for (let round = 0; round < 3; round += 1) {
    const plain = await send(benign);
    expectError(plain.result, 'validation_failed');
    stalls.benign = Math.max(stalls.benign, plain.stall);
    const { result, stall } = await send(hostile);
    expectError(result, 'validation_failed');
    stalls.hostile = Math.min(stalls.hostile, stall);
  }
  expect(stalls.hostile).toBeLessThan(10 * stalls.benign);
});

test('a batch to ten thousand subscribers is stored with pauses', async () => {
  const perMessage = limits.sendRecipients;
  await service.pool.query(
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, external_id, first_name, lang)
     SELECT $1, 'telegram', 'batch-' || n, 'batch-' || n, 'group-' || n % 100, 'Anna', 'en'
     FROM generate_series(0, 100 * $2::int - 1) n`,
    [project.id, perMessage],
  );
  await project.api('POST', '/v1/templates', {
    key: 'long',
    format: 'markdown',
    variants: { en: { text: '{{first_name|x}} '.repeat(limits.templatePlaceholders) } },
  });
  const messages = Array.from({ length: 100 }, (_, n) => ({ external_id: `group-${n}`, template: 'long' }));
  let longest = Infinity;
  // A pause of the machine counts as well: the best of three.
  for (let round = 0; round < 3 && longest >= 1 / 5; round += 1) {
    const watched = await longestStall(() => project.api('POST', '/v1/send/batch', { messages }));
    const { status, body } = watched.result;
    expect([status, body]).toEqual([202, expect.objectContaining({ total: 10_000 })]);
    longest = Math.min(longest, watched.stall / watched.ms);
  }
  expect(longest).toBeLessThan(1 / 5);
});
