import { eventRegistry } from '../../../src/domains/events/contract';
import type { Installation } from '../../support/installation';
import { useService } from '../../support/use-service';
import { startOf } from '../login/fixture';
import { freshName } from '../messages/fixture';
import { join, signInByMessenger } from '../team/fixture';
import { herald, heraldJson, settingsOf } from './fixture';

jest.setTimeout(120_000);

let service: Installation;
beforeAll(async () => {
  service = await useService();
});
afterAll(() => service?.stop());

test('herald member: the first owner comes in by an invitation, and the last one stays', async () => {
  const project = await service.createProject({ plan: 'basic' });
  const settings = settingsOf(service);
  const invited = await heraldJson<Record<string, string>>(
    ['member', 'invite', project.slug, '--role', 'owner'],
    settings,
  );
  expect(invited).toMatchObject({ role: 'owner', telegram_link: expect.stringContaining('start=join_') });
  const user = freshName('first');
  await join(service, user, startOf(invited['telegram_link'] ?? ''));
  const { api } = await signInByMessenger(service, user);
  expect((await api('GET', '/dashboard/session')).body).toMatchObject({ role: 'owner' });

  const members = await heraldJson<{ member_id: string; role: string }[]>(
    ['member', 'list', project.slug],
    settings,
  );
  expect(members).toMatchObject([{ role: 'owner', first_name: user }]);
  const id = members[0]?.member_id ?? '';
  for (const args of [
    ['set', project.slug, id, '--role', 'viewer'],
    ['remove', project.slug, id],
  ]) {
    const refused = await herald(['member', ...args], settings);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('last owner')]);
  }
  const changed = await heraldJson(['member', 'set', project.slug, id, '--notify', 'all'], settings);
  expect(changed).toMatchObject({ notify: 'all', role: 'owner' });
  const { body } = await api('GET', '/v1/audit?actor=cli');
  expect(body.data.map(({ action }: { action: string }) => action)).toEqual([
    'member.updated',
    'invitation.created',
  ]);
});

test('herald key create --scopes publish: the key publishes, and does nothing else', async () => {
  const project = await service.createProject();
  const args = ['key', 'create', project.slug, '--scopes', 'publish'];
  const { api_key } = await heraldJson<{ api_key: string }>(args, settingsOf(service));
  const api = service.apiWith(api_key);
  const event = { event: 'ticket.created', data: eventRegistry['ticket.created'].example };
  const { status, body } = await api('POST', '/v1/publish', { events: [{ ...event, event_id: 'one' }] });
  expect([status, body]).toEqual([202, { data: [{ event_id: 'one', status: 'accepted', deliveries: 0 }] }]);
  expect((await api('GET', '/v1/subscribers')).status).toBe(403);
});
