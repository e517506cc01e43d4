import type { Channel } from '../../../src/base/contract/common';
import { eventually } from '../../support/eventually';
import type { Installation } from '../../support/installation';
import { useService } from '../../support/use-service';
import { confirmedSession, createSession, linkOf, openAndWait, startOf, waitForStatus } from './fixture';

let service: Installation;
beforeAll(async () => {
  service = await useService();
});
afterAll(() => service.stop());

type Day = Record<'created' | 'opened' | 'confirmed' | 'declined' | 'expired' | 'redeemed', number>;

function totalsOf(days: Day[]): Day {
  const steps = ['created', 'opened', 'confirmed', 'declined', 'expired', 'redeemed'] as const;
  const sum = (step: keyof Day) => days.reduce((total, day) => total + day[step], 0);
  return Object.fromEntries(steps.map((step) => [step, sum(step)])) as Day;
}

test('logins are counted by day and messenger, each step once; approvals are not', async () => {
  const project = await service.createProject({ callback_url: 'https://shop.example/callback' });
  const open = async (channel: Channel, user: string) => {
    const session = await createSession(project);
    const start = startOf(linkOf(session, channel));
    await openAndWait(service, channel, user, start);
    return { id: session.session_id, start };
  };
  const redeemed = await confirmedSession(service, project, 'stats-redeemed');
  const { body: user } = await project.api('POST', '/v1/auth/verify', { code: redeemed.status.code });
  const unredeemed = (await confirmedSession(service, project, 'stats-unredeemed', { channel: 'max' }))
    .session;
  const declined = await open('max', 'stats-declined');
  await service.control.tap('max', 'stats-declined', { button: 1 });
  await waitForStatus(service, declined.id, 'declined');
  const asked = await open('telegram', 'stats-asked');
  // The bot asks again.
  await openAndWait(service, 'telegram', 'stats-asked', asked.start);
  await project.api('DELETE', `/v1/auth/session/${asked.id}`);
  await createSession(project);
  await openAndWait(service, 'max', 'stats-static', `auth_${project.slug}`);
  const approval = { subscriber_id: user.subscriber_id, message: 'Approve?' };
  expect((await project.api('POST', '/v1/auth/requests', approval)).status).toBe(201);

  const stats = async (days: number) => (await project.api('GET', `/v1/auth/stats?days=${days}`)).body;
  // Of two days, because midnight may pass meanwhile.
  const recent = async () => totalsOf((await stats(2)).days);
  const all = { created: 6, opened: 5, confirmed: 2, declined: 1, expired: 1, redeemed: 1 };
  // The last question is counted when the messenger has accepted it.
  await eventually(async () => (await recent()).opened === 5);
  expect(await recent()).toEqual(all);
  const { days, by_channel, median_seconds_to_confirm } = await stats(2);
  for (const { date } of days) expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(by_channel).toEqual({
    telegram: { created: 2, opened: 2, confirmed: 1, declined: 0, expired: 1, redeemed: 1 },
    max: { created: 3, opened: 3, confirmed: 1, declined: 1, expired: 0, redeemed: 0 },
  });
  expect(median_seconds_to_confirm).toBeGreaterThanOrEqual(0);

  await service.pool.query(
    `INSERT INTO auth_days (project_id, day, step, channel, seconds, count)
     VALUES ($1, $2::date - 1, 'confirmed', 'max', 1700, 20), ($1, $2::date - 2, 'confirmed', 'max', 1790, 10)`,
    [project.id, days[0].date],
  );
  const longer = await stats(5);
  const confirmed = longer.days.map((day: { confirmed: number }) => day.confirmed);
  expect(confirmed.filter((count: number) => count >= 10)).toEqual([10, 20]);
  expect(confirmed.indexOf(20)).toBe(confirmed.indexOf(10) + 1);
  expect(longer.by_channel.max.confirmed).toBe(31);
  expect(longer.median_seconds_to_confirm).toBe(1700);
  expect((await project.api('GET', '/v1/auth/stats')).body.days).toHaveLength(30);
  for (const wrong of [0, 91]) expect((await stats(wrong)).code).toBe('validation_failed');

  // A code that has expired unused is told apart in the log, also before its workflow has recorded it.
  await service.pool.query('UPDATE auth_sessions SET code_expires_at = clock_timestamp() WHERE id = $1', [
    unredeemed.session_id,
  ]);
  const listed = async (status: string) =>
    (await project.api('GET', `/v1/auth/sessions?status=${status}`)).body.data;
  expect(await listed('unredeemed')).toMatchObject([
    { session_id: unredeemed.session_id, status: 'unredeemed', redeemed_at: null },
  ]);
  expect(await listed('consumed')).toMatchObject([
    { session_id: redeemed.session.session_id, redeemed_at: expect.stringMatching(/\+00:00$/) },
  ]);
  expect(await listed('expired')).toMatchObject([{ session_id: asked.id }]);
  const one = await project.api('GET', `/v1/auth/sessions/${unredeemed.session_id}`);
  expect(one.body).toEqual((await listed('unredeemed'))[0]);
  const stranger = await service.createProject();
  expect((await stranger.api('GET', `/v1/auth/sessions/${unredeemed.session_id}`)).status).toBe(404);
  const status = `/v1/auth/session/${unredeemed.session_id}/status`;
  await eventually(async () => (await project.api('GET', status)).body.status === 'expired');
  expect(totalsOf((await stats(5)).days)).toEqual({ ...all, confirmed: all.confirmed + 30 });
});

test('a project without logins has days of zeros and no median', async () => {
  const { body } = await (await service.createProject()).api('GET', '/v1/auth/stats?days=2');
  const none = { created: 0, opened: 0, confirmed: 0, declined: 0, expired: 0, redeemed: 0 };
  expect(body.days.map(({ date: _, ...counts }: { date: string }) => counts)).toEqual(
    Array.from({ length: 2 }, () => none),
  );
  expect([body.by_channel, body.median_seconds_to_confirm]).toEqual([{ telegram: none, max: none }, null]);
});
