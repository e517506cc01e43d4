import type { Installation } from '../../support/installation';
import { useService } from '../../support/use-service';
import { confirmedSession, lastBotMessage } from '../login/fixture';
import { eventually } from '../../support/eventually';
import { freshName, subscribePerson, textsTo } from '../messages/fixture';

let service: Installation;
beforeAll(async () => {
  service = await useService();
});
afterAll(() => service.stop());

const none = { en: null, ru: null };

test('a project words what the bot says to subscribers and after a login, in each language', async () => {
  const project = await service.createProject({ name: 'Shop' });
  const put = (body: object) => project.api('PUT', '/v1/project/texts', body);
  const greetingOf = async (about: object) =>
    (await textsTo(service, await subscribePerson(service, project, 'telegram', { ...about }))).at(-1);
  expect((await project.api('GET', '/v1/project/texts')).body).toEqual({
    welcome: none,
    help: none,
    after_login: none,
  });

  const welcome = { en: 'Hi {{first_name|you}} of {{properties.city|somewhere}}, this is {{project}}.' };
  const after_login = { en: 'Hello again, {{first_name}}! <b>{{lang}}</b>' };
  const changed = await put({ welcome, after_login });
  expect([changed.status, changed.body]).toEqual([
    200,
    { welcome: { ...none, ...welcome }, help: none, after_login: { ...none, ...after_login } },
  ]);
  const first_name = freshName('Anna');
  expect(await greetingOf({ first_name, language_code: 'en' })).toMatch(
    new RegExp(`^Hi ${first_name} of somewhere, this is Shop\\.\\n\\n.*/stop`),
  );
  expect(await greetingOf({ language_code: 'ru' })).toMatch(/^Вы подписаны/);

  const user = freshName();
  await confirmedSession(service, project, user);
  const after = await eventually(async () => {
    const message = await lastBotMessage(service, 'telegram', user);
    return message?.buttons.length === 0 ? message : null;
  });
  expect(after.text).toMatch(/^Hello again, Anna! <b>en<\/b>\n\n.*\/stop/);

  expect((await put({ welcome: null })).body.welcome).toEqual(none);
  expect((await put({})).body.after_login.en).toBe(after_login.en);
  expect(await greetingOf({ language_code: 'en' })).toMatch(/^You are subscribed/);
});

test('a text that the bot could not fill in is refused with its path', async () => {
  const { api } = await service.createProject();
  const put = async (body: object) => (await api('PUT', '/v1/project/texts', body)).body;
  expect(await put({ help: { ru: 'Привет, {{nmae}}' } })).toMatchObject({
    code: 'template_variable_missing',
    error: expect.stringContaining('help.ru'),
  });
  for (const wrong of [
    { help: { en: 'x'.repeat(1_001) } },
    { help: { en: '' } },
    { help: { en: '{{broken' } },
    { help: { de: 'Hallo' } },
    { question: { en: 'Log in?' } },
  ]) {
    expect(await put(wrong)).toMatchObject({ code: 'validation_failed' });
  }
  expect((await put({ help: { en: 'x'.repeat(1_000) } })).help.en).toHaveLength(1_000);
});
