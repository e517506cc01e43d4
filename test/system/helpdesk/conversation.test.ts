import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { simulatedChannels, type SimulatedChannel } from '../../support/simulator-control';
import { useService } from '../../support/use-service';

let service: Installation;
beforeAll(async () => {
  service = await useService();
});
afterAll(() => service.stop());

const texts = {
  en: {
    about: /^What is it about\?$/,
    accepted: /^Request #\d+ is accepted\.$/,
    which: /^Which request is this about\?$/,
    unknown: /^Sorry, I don’t understand that/,
    cannot: /^I can pass on text/,
    cancelled: /^Cancelled\. No request/,
    nothing: /^There is nothing to cancel\.$/,
    none: /^You have no open requests\.$/,
  },
  ru: {
    about: /^О чём ваш вопрос\?$/,
    accepted: /^Обращение #\d+ принято\.$/,
    which: /^К какому обращению это относится\?$/,
    unknown: /^Извините, я вас не понял/,
    cannot: /^Я передаю текст/,
    cancelled: /^Отменено\. Обращение/,
    nothing: /^Отменять нечего\.$/,
    none: /^У вас нет открытых обращений\.$/,
  },
};

const cases = simulatedChannels.flatMap((channel) =>
  (['en', 'ru'] as const).map((lang) => [channel, lang] as const),
);

describe.each(cases)('on %s in %s', (channel: SimulatedChannel, lang) => {
  const said = texts[lang];
  let project: TestProject;
  let user: string;
  beforeEach(async () => {
    project = await service.createProject({ plan: 'basic' });
    user = `c${Math.random().toString(36).slice(2)}`;
    await project.api('PATCH', '/v1/helpdesk', { enabled: true });
  });

  const botMessages = async () =>
    (await service.control.chat(channel, user)).messages.filter(({ from }) => from === 'bot');
  /** Does something, and waits for the bot's next message. */
  async function answer(act: () => Promise<unknown>): Promise<string> {
    const before = (await botMessages()).length;
    await act();
    await eventually(async () => (await botMessages()).length > before);
    return (await botMessages()).at(-1)?.text ?? '';
  }
  const say = (text: string, more: object = {}) =>
    service.control.say(channel, user, text, { language_code: lang, ...more });
  const openHelp = () =>
    service.control.open(channel, user, { start: `help_${project.slug}`, language_code: lang });
  const tickets = async () => (await project.api('GET', '/v1/helpdesk/tickets')).body.data;
  const written = async (number: number) => {
    const [ticket] = (await project.api('GET', `/v1/helpdesk/tickets?number=${number}`)).body.data;
    const { data } = (await project.api('GET', `/v1/helpdesk/tickets/${ticket.ticket_id}/messages`)).body;
    return data.filter((each: { from: string }) => each.from === 'customer').reverse();
  };

  test('whoever has no ticket is told what the bot can do, whatever they send', async () => {
    await answer(() => service.control.open(channel, user, { language_code: lang }));
    expect(await answer(() => say('hello'))).toMatch(said.unknown);
    for (const type of ['photo', 'document', 'voice', 'sticker']) {
      expect(await answer(() => service.control.sendFile(channel, user, { type }))).toMatch(said.unknown);
    }
    expect(await answer(() => say('see this', { forwarded: true }))).toMatch(said.unknown);
    expect(await answer(() => say('/cancel'))).toMatch(said.nothing);
    expect(await answer(() => say('/tickets'))).toMatch(said.none);
  });

  test('a request being written takes a text or a file, and ends with /cancel', async () => {
    expect(await answer(openHelp)).toMatch(said.about);
    expect(await answer(() => service.control.sendFile(channel, user, { type: 'sticker' }))).toMatch(
      said.cannot,
    );
    expect(await answer(() => say('/cancel'))).toMatch(said.cancelled);
    expect(await answer(() => say('hello'))).toMatch(said.unknown);
    await answer(openHelp);
    expect(await answer(() => service.control.sendFile(channel, user, { type: 'voice' }))).toMatch(
      said.accepted,
    );
    expect(await tickets()).toHaveLength(1);
  });

  test('everything sent later lands in the open ticket; with two the bot asks, and a quote needs no question', async () => {
    await answer(openHelp);
    expect(await answer(() => say('first'))).toMatch(said.accepted);
    const accepted = (await botMessages()).at(-1)?.message_id;
    const { message_id } = await say('second');
    await say('third', { forwarded: true });
    for (const type of ['photo', 'document', 'voice']) {
      await service.control.sendFile(channel, user, { type });
    }
    await eventually(async () => (await written(1)).length === 6);
    await service.control.edit(channel, user, message_id, 'second, corrected');
    await eventually(async () => (await written(1)).length === 7);
    expect((await written(1)).map(({ text }: { text: string }) => text)).toEqual([
      'first',
      'second',
      'third',
      '',
      '',
      '',
      expect.stringMatching(/: second, corrected$/),
    ]);
    expect(await answer(() => service.control.sendFile(channel, user, { type: 'sticker' }))).toMatch(
      said.cannot,
    );

    const [{ subscriber_id }] = await tickets();
    await project.api('POST', '/v1/helpdesk/tickets', { subscriber_id, text: 'by mail' });
    expect(await answer(() => say('/tickets'))).toMatch(/#2 [^]*#1 /);
    expect(await answer(() => say('about which?'))).toMatch(said.which);
    await service.control.tap(channel, user, { button: `#2 ${project.name}` });
    await eventually(async () => (await written(2)).length === 2);
    await say('quoting', { reply_to: accepted });
    await eventually(async () => (await written(1)).length === 8);
    await say('chosen before');
    await eventually(async () => (await written(2)).length === 3);
  });
});
