import { returnUrl } from '../../../src/domains/login/contract';
import { eventually, SOON_MS } from '../../support/eventually';
import type { Installation } from '../../support/installation';
import { useService } from '../../support/use-service';
import { confirmedSession, createSession, linkOf, openAndWait, startOf, type StatusBody } from './fixture';

let service: Installation;
beforeAll(async () => {
  service = await useService();
});
afterAll(() => service.stop());

async function age(sessionId: string, seconds: number): Promise<void> {
  await service.pool.query(
    `UPDATE auth_sessions SET code_expires_at = code_expires_at - make_interval(secs => $2) WHERE id = $1`,
    [sessionId, seconds],
  );
}

test('of fifty verifications at once one gets the user and forty-nine are told that the code was used', async () => {
  const project = await service.createProject();
  const { status } = await confirmedSession(service, project, 'fifty');
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => project.api('POST', '/v1/auth/verify', { code: status.code })),
  );
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  const rest = answers.filter((answer) => answer.status !== 200);
  expect(new Set(rest.map((answer) => `${answer.status} ${String(answer.body.code)}`))).toEqual(
    new Set(['409 code_already_used']),
  );
});

test('used and old is "used"; an expired code is gone from the poll', async () => {
  const project = await service.createProject();
  const used = await confirmedSession(service, project, 'used');
  await project.api('POST', '/v1/auth/verify', { code: used.status.code });
  await age(used.session.session_id, 400);
  const again = await project.api('POST', '/v1/auth/verify', { code: used.status.code });
  expect(again.body.code).toBe('code_already_used');

  const unused = await confirmedSession(service, project, 'unused');
  await age(unused.session.session_id, 400);
  await service.pool.query('DELETE FROM auth_polls');
  const poll = await project.api<StatusBody>('GET', `/v1/auth/session/${unused.session.session_id}/status`);
  expect(poll.body).toEqual({ status: 'expired', expires_in: 0, interval: 2 });
});

test('a lost poll loses nothing: the same code comes until it is consumed', async () => {
  const project = await service.createProject();
  const { session, status } = await confirmedSession(service, project, 'lost');
  for (let i = 0; i < 2; i += 1) {
    await service.pool.query('DELETE FROM auth_polls');
    const again = await project.api<StatusBody>('GET', `/v1/auth/session/${session.session_id}/status`);
    expect(again.body.code).toBe(status.code);
  }
});

test("another project's key neither verifies nor consumes a code", async () => {
  const [mine, other] = [await service.createProject(), await service.createProject()];
  const { status } = await confirmedSession(service, mine, 'foreign');
  const theirs = await other.api('POST', '/v1/auth/verify', { code: status.code });
  const unknown = await other.api('POST', '/v1/auth/verify', { code: 'x'.repeat(43) });
  expect([theirs.status, theirs.body]).toEqual([400, unknown.body]);
  expect(unknown.body.code).toBe('invalid_code');
  expect((await mine.api('POST', '/v1/auth/verify', { code: status.code })).status).toBe(200);
});

test('a flood of guesses becomes 429 for further failures of that project only; a good code still succeeds', async () => {
  const [flooded, calm] = [await service.createProject(), await service.createProject()];
  const { status } = await confirmedSession(service, flooded, 'flood');
  const used = await confirmedSession(service, flooded, 'flood-used');
  await flooded.api('POST', '/v1/auth/verify', { code: used.status.code });
  const guesses = [];
  for (let i = 0; i < 25; i += 1) {
    guesses.push((await flooded.api('POST', '/v1/auth/verify', { code: `guess${i}` })).body.code);
  }
  expect(guesses.slice(0, 20)).toEqual(Array(20).fill('invalid_code'));
  expect(guesses.slice(20)).toEqual(Array(5).fill('rate_limit_verify'));
  const limited = await flooded.api('POST', '/v1/auth/verify', { code: 'more' });
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  const reused = await flooded.api('POST', '/v1/auth/verify', { code: used.status.code });
  expect(reused.body.code).toBe('code_already_used');
  expect((await calm.api('POST', '/v1/auth/verify', { code: 'guess' })).body.code).toBe('invalid_code');
  expect((await flooded.api('POST', '/v1/auth/verify', { code: status.code })).status).toBe(200);
});

test('wrong and empty verifiers count towards the flood, and a verifier without a challenge is wrong', async () => {
  const project = await service.createProject();
  const { status } = await confirmedSession(service, project, 'verifier');
  const codes = [];
  for (let i = 0; i < 21; i += 1) {
    const code_verifier = i % 2 === 0 ? '' : 'v'.repeat(43);
    codes.push(
      (await project.api('POST', '/v1/auth/verify', { code: status.code, code_verifier })).body.code,
    );
  }
  expect(new Set(codes.slice(0, 20))).toEqual(new Set(['invalid_code_verifier']));
  expect(codes[20]).toBe('rate_limit_verify');
  expect((await project.api('POST', '/v1/auth/verify', { code: status.code })).status).toBe(200);
});

test('a long poll returns with the tap, not at its end', async () => {
  const project = await service.createProject();
  const session = await createSession(project);
  await openAndWait(service, 'telegram', 'long', startOf(linkOf(session, 'telegram')));
  const poll = project.api<StatusBody>('GET', `/v1/auth/session/${session.session_id}/status?wait=25`);
  // The poll is under way: the database has counted it.
  await eventually(async () => {
    const { rowCount } = await service.pool.query('SELECT 1 FROM auth_polls WHERE session_id = $1', [
      session.session_id,
    ]);
    return rowCount;
  });
  const tapped = performance.now();
  await service.control.tap('telegram', 'long', { button: 'Yes' });
  expect((await poll).body.status).toBe('confirmed');
  expect(performance.now() - tapped).toBeLessThan(SOON_MS);
});

test('code and state are appended to whatever the callback has, correctly encoded', async () => {
  const callback = 'https://shop.example/вход/назад?from=bot&x=a%2Bb';
  const project = await service.createProject({ callback_url: callback });
  const { status } = await confirmedSession(service, project, 'callback', {
    body: { state: "a+b%c#d?e=f'" },
  });
  const url = new URL(status.redirect_url ?? '');
  expect(decodeURI(url.pathname)).toBe('/вход/назад');
  expect(url.search.startsWith('?from=bot&x=a%2Bb&code=')).toBe(true);
  expect(url.searchParams.get('code')).toBe(status.code);
  expect(url.searchParams.get('state')).toBe("a+b%c#d?e=f'");
  expect(url.searchParams.get('x')).toBe('a+b');
  expect(returnUrl('https://a.example', 'c', null)).toBe('https://a.example/?code=c');
  expect(returnUrl('https://a.example/?', 'c', 's')).toBe('https://a.example/?code=c&state=s');
});
