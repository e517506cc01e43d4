import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { simulatedChannels, type SimulatedChannel } from '../../support/simulator-control';
import { useService } from '../../support/use-service';
import { createSession, linkOf, startOf } from '../login/fixture';
import { freshName } from '../messages/fixture';

let service: Installation;
beforeAll(async () => {
  service = await useService();
});
afterAll(() => service.stop());

type Lang = 'en' | 'ru';
const cases = simulatedChannels.flatMap((channel) =>
  (['en', 'ru'] as const).map((lang): [SimulatedChannel, Lang] => [channel, lang]),
);

/** What the bot says. */
const texts = {
  en: {
    about: /^What is it about\?$/,
    accepted: /^Request #\d+ is accepted\.$/,
    which: /^Which request is this about\?$/,
    unknown: /^Sorry, I don’t understand that/,
    help: /^This bot confirms logins/,
    cannot: /^I can pass on text/,
    correction: /^I only read new messages/,
    requestCancelled: /^Cancelled\. No request/,
    messageCancelled: /^Cancelled\. Your message/,
    formCancelled: /^Cancelled\. Your answers/,
    nothing: /^There is nothing to cancel\.$/,
    none: /^You have no open requests\.$/,
    listed: /^Your open requests:\n/,
    unsubscribed: /^You will no longer receive/,
    notSubscribed: /^You have no active subscriptions/,
    rate: /^Request #\d+ is closed\. How did we do\?$/,
    login: /^Log in to /,
    next: /^\d+\/30\. Q/,
    again: /^.+\n\n\d+\/30\. Q/,
  },
  ru: {
    about: /^О чём ваш вопрос\?$/,
    accepted: /^Обращение #\d+ принято\.$/,
    which: /^К какому обращению это относится\?$/,
    unknown: /^Извините, я вас не понял/,
    help: /^Этот бот подтверждает вход/,
    cannot: /^Я передаю текст/,
    correction: /^Я читаю только новые сообщения/,
    requestCancelled: /^Отменено\. Обращение/,
    messageCancelled: /^Отменено\. Сообщение/,
    formCancelled: /^Отменено\. Ответы/,
    nothing: /^Отменять нечего\.$/,
    none: /^У вас нет открытых обращений\.$/,
    listed: /^Ваши открытые обращения:\n/,
    unsubscribed: /^Вы больше не будете получать/,
    notSubscribed: /^У вас нет активных подписок/,
    rate: /^Обращение #\d+ закрыто\. Оцените ответ\.$/,
    login: /^Войти в /,
    next: /^\d+\/30\. Q/,
    again: /^.+\n\n\d+\/30\. Q/,
  },
} satisfies Record<Lang, Record<string, RegExp>>;
type Said = keyof (typeof texts)['en'];

/** A person in one chat. Each step waits for what comes of it. */
function personIn(project: TestProject, channel: SimulatedChannel, lang: Lang) {
  const user = freshName('c');
  const about = { first_name: user, language_code: lang };
  const botMessages = async () =>
    (await service.control.chat(channel, user)).messages.filter(({ from }) => from === 'bot');
  /** Does something, and waits for the bot's next message. */
  async function answer(act: () => Promise<unknown>): Promise<string> {
    const before = (await botMessages()).length;
    await act();
    await eventually(async () => (await botMessages()).length > before);
    return (await botMessages()).at(-1)?.text ?? '';
  }
  const open = (start: string) => service.control.open(channel, user, { start, ...about });
  const say = (text: string, more: object = {}) =>
    service.control.say(channel, user, text, { language_code: lang, ...more });
  const inDatabase = async <R extends object>(sql: string): Promise<R[]> =>
    (await service.pool.query<R>(sql, [project.id, user])).rows;
  return {
    channel,
    lang,
    user,
    botMessages,
    answer,
    open,
    say,
    openHelp: () => open(`help_${project.slug}`),
    sendFile: (type: string) => service.control.sendFile(channel, user, { type }),
    edit: (id: unknown, text: string) => service.control.edit(channel, user, id, text),
    tap: (button: string) => service.control.tap(channel, user, { button }),
    forge: (message_id: unknown, data: string) => service.control.tap(channel, user, { message_id, data }),
    toasts: async () => (await service.control.chat(channel, user)).toasts,
    expects: async (said: Said, act: () => Promise<unknown>) =>
      expect([channel, lang, said, await answer(act)]).toEqual([
        channel,
        lang,
        said,
        expect.stringMatching(texts[lang][said]),
      ]),
    tickets: () =>
      inDatabase<{ id: string; status: string; subscriber_id: string }>(
        `SELECT t.id, t.status, t.subscriber_id FROM tickets t JOIN subscribers s ON s.id = t.subscriber_id
         WHERE t.project_id = $1 AND s.first_name = $2 ORDER BY t.number`,
      ),
    /** What they wrote, in all of their tickets: the texts, and the types of the files. */
    written: async () =>
      (
        await inDatabase<{ what: string }>(
          `SELECT coalesce(m.attachments -> 0 ->> 'type', m.text) AS what FROM ticket_messages m
             JOIN tickets t ON t.id = m.ticket_id JOIN subscribers s ON s.id = t.subscriber_id
           WHERE t.project_id = $1 AND s.first_name = $2 AND m.sender = 'customer' ORDER BY m.created_at`,
        )
      ).map(({ what }) => what),
    isSubscribed: async () =>
      (
        await inDatabase<{ active: boolean }>(
          'SELECT active FROM subscribers WHERE project_id = $1 AND first_name = $2',
        )
      )[0]?.active,
  };
}
type Person = ReturnType<typeof personIn>;

/** What a person may do in any state, and what then must be found where it went. */
interface Message {
  act: () => Promise<unknown>;
  /** Text, or the type of a file. */
  what: string;
}

/** What has gone before: a message of their own, one of the bot, and a button of a question that is over. */
interface Past {
  own: unknown;
  bots: unknown;
  button: { id: unknown; data: string };
}

const kinds: Record<string, (person: Person, past: Past) => Message> = {
  text: (person, past) => ({
    act: async () => void (past.own = (await person.say('a text')).message_id),
    what: 'a text',
  }),
  photo: (person) => ({ act: () => person.sendFile('photo'), what: 'photo' }),
  file: (person) => ({ act: () => person.sendFile('document'), what: 'document' }),
  voice: (person) => ({ act: () => person.sendFile('voice'), what: 'voice' }),
  sticker: (person) => ({ act: () => person.sendFile('sticker'), what: '' }),
  edited: (person, { own }) => ({
    act: () => person.edit(own, 'a text, corrected'),
    what: `${person.lang === 'ru' ? 'Исправлено' : 'Edited'}: a text, corrected`,
  }),
  forwarded: (person) => ({ act: () => person.say('a forward', { forwarded: true }), what: 'a forward' }),
  reply: (person, { bots }) => ({ act: () => person.say('a reply', { reply_to: bots }), what: 'a reply' }),
  'old button': (person, { button }) => ({ act: () => person.forge(button.id, button.data), what: '' }),
  '/start': (person) => ({ act: () => person.say('/start'), what: '' }),
  '/tickets': (person) => ({ act: () => person.say('/tickets'), what: '' }),
  '/cancel': (person) => ({ act: () => person.say('/cancel'), what: '' }),
  '/stop': (person) => ({ act: () => person.say('/stop'), what: '' }),
};
type Kind = keyof typeof kinds;

/** `ticket`: it is in a ticket, without a word of the bot. `toast`: the tap is answered. Otherwise what the bot says. */
type Outcome = Said | 'ticket' | 'toast';

interface State {
  /** Brings the person into the state; called before each message. */
  enter(person: Person, project: TestProject): Promise<void>;
  outcomes: Record<Kind, Outcome>;
  /** After all of them. */
  end?(person: Person): Promise<void>;
}

const everythingWritten = (outcome: Outcome) =>
  Object.fromEntries(['text', 'photo', 'file', 'voice', 'forwarded', 'reply'].map((kind) => [kind, outcome]));
const commands = { 'old button': 'toast', '/start': 'help' } as const;
const unused: Record<Kind, Outcome> = {
  ...everythingWritten('unknown'),
  ...commands,
  sticker: 'unknown',
  edited: 'correction',
  '/tickets': 'none',
  '/cancel': 'nothing',
  '/stop': 'notSubscribed',
};
const withTicket: Record<Kind, Outcome> = {
  ...everythingWritten('ticket'),
  ...commands,
  sticker: 'cannot',
  edited: 'ticket',
  '/tickets': 'listed',
  '/cancel': 'nothing',
  '/stop': 'unsubscribed',
};

async function createTicket(person: Person): Promise<void> {
  await person.expects('about', person.openHelp);
  await person.expects('accepted', () => person.say('first'));
}

async function ensureTicket(person: Person): Promise<void> {
  if ((await person.tickets()).length === 0) await createTicket(person);
}

async function close(person: Person, project: TestProject): Promise<void> {
  for (const { id, status } of await person.tickets()) {
    if (status !== 'closed') await project.api('PATCH', `/v1/helpdesk/tickets/${id}`, { status: 'closed' });
  }
}

const isEntered = new WeakSet<Person>();
async function once(person: Person, enter: () => Promise<unknown>): Promise<void> {
  if (isEntered.has(person)) return;
  isEntered.add(person);
  await enter();
}

const states: Record<string, State> = {
  'nothing is going on': { enter: () => Promise.resolve(), outcomes: unused },

  'a login is asked for': {
    enter: (person, project) =>
      once(person, async () => {
        const session = await createSession(project);
        await person.expects('login', () => person.open(startOf(linkOf(session, person.channel))));
      }),
    outcomes: unused,
    async end(person) {
      // The question has waited.
      await person.tap(person.lang === 'ru' ? 'Нет' : 'No');
      await eventually(async () => (await person.botMessages()).some(({ edited }) => edited));
    },
  },

  'a form is being filled': {
    async enter(person, project) {
      const { rows } = await service.pool.query<{ id: string; is_begun: boolean }>(
        `SELECT f.id, EXISTS (SELECT 1 FROM form_drafts d WHERE d.form_id = f.id) AS is_begun FROM forms f
         WHERE f.project_id = $1 AND f.name = $2`,
        [project.id, person.user],
      );
      if (rows[0]?.is_begun) return;
      const field = { type: 'text', label_en: 'Q', required: true };
      const fields = Array.from({ length: 30 }, (_, n) => ({ key: `q${n}`, ...field }));
      const form =
        rows[0]?.id ?? (await project.api('POST', '/v1/forms', { name: person.user, fields })).body.form_id;
      const question = await person.answer(() => person.open(`form_${form.replaceAll('-', '')}`));
      expect(question).toMatch(/\n\n1\/30\. Q$/);
    },
    outcomes: {
      ...unused,
      text: 'next',
      forwarded: 'next',
      reply: 'next',
      photo: 'again',
      file: 'again',
      voice: 'again',
      sticker: 'again',
      '/cancel': 'formCancelled',
    },
    // /stop has ended it: a last answer would subscribe.
    end: (person) => person.expects('unknown', () => person.say('after the end')),
  },

  'a request is being written': {
    async enter(person, project) {
      await close(person, project);
      await person.expects('about', person.openHelp);
    },
    outcomes: {
      ...withTicket,
      ...everythingWritten('accepted'),
      '/tickets': 'none',
      '/cancel': 'requestCancelled',
    },
  },

  'a ticket is open': { enter: ensureTicket, outcomes: withTicket },

  'two tickets are open': {
    enter: (person, project) =>
      once(person, async () => {
        await createTicket(person);
        const [{ subscriber_id } = { subscriber_id: '' }] = await person.tickets();
        await project.api('POST', '/v1/helpdesk/tickets', { subscriber_id, text: 'by mail' });
      }),
    outcomes: {
      ...withTicket,
      ...everythingWritten('which'),
      edited: 'correction',
      '/cancel': 'messageCancelled',
    },
    async end(person) {
      for (const text of ['kept', 'kept too']) await person.expects('which', () => person.say(text));
      const { buttons } = (await person.botMessages()).at(-1) ?? { buttons: [] };
      await person.tap(buttons[0]?.[0]?.text ?? '');
      await eventually(async () => (await person.written()).slice(-2).join() === 'kept,kept too');
    },
  },

  'a ticket was closed, and a rating is asked for': {
    async enter(person, project) {
      await ensureTicket(person);
      const [ticket] = await person.tickets();
      if (ticket?.status === 'closed') return;
      const path = `/v1/helpdesk/tickets/${ticket?.id}/messages`;
      const reply = { content: { text: 'Done.' }, status: 'closed' };
      const before = (await person.botMessages()).length;
      expect((await project.api('POST', path, reply)).status).toBe(201);
      await eventually(async () => {
        const [, question] = (await person.botMessages()).slice(before);
        return question && texts[person.lang].rate.test(question.text);
      });
    },
    outcomes: { ...withTicket, '/tickets': 'none' },
  },

  'the person has sent /stop, with a ticket open': {
    enter: (person) =>
      once(person, async () => {
        await createTicket(person);
        await person.expects('unsubscribed', () => person.say('/stop'));
      }),
    outcomes: { ...withTicket, '/stop': 'notSubscribed' },
    end: async (person) => expect(await person.isSubscribed()).toBe(false),
  },
};

test.each(Object.entries(states))(
  'when %s, nothing that a person sends is lost silently, in any messenger and language',
  async (_name, { enter, outcomes, end }) => {
    const project = await service.createProject({ plan: 'basic' });
    await project.api('PATCH', '/v1/helpdesk', { enabled: true });
    const { body: choice } = await project.api('POST', '/v1/forms', {
      name: 'Choice',
      fields: [{ key: 'size', type: 'select', label_en: 'Size', options: [{ value: 's' }] }],
    });

    async function walk(channel: SimulatedChannel, lang: Lang): Promise<void> {
      const person = personIn(project, channel, lang);
      await person.answer(() => person.open(`form_${choice.form_id.replaceAll('-', '')}`));
      const [question] = await person.botMessages();
      await person.expects('formCancelled', () => person.say('/cancel'));
      const button = { id: question?.message_id, data: question?.buttons[0]?.[0]?.data ?? '' };
      const past: Past = { own: null, bots: question?.message_id, button };
      for (const [kind, message] of Object.entries(kinds)) {
        await enter(person, project);
        const { act, what } = message(person, past);
        const outcome = outcomes[kind];
        const written = (await person.written()).length;
        if (outcome === 'toast') {
          await act();
          await eventually(async () =>
            /already been answered|уже ответили/.test((await person.toasts())[0]?.text ?? ''),
          );
        } else if (outcome === 'ticket') {
          await act();
          const isThere = async () => (await person.written())[written] === what;
          await eventually(isThere).catch(() =>
            Promise.reject(new Error(`${channel} ${lang} ${kind}: lost`)),
          );
        } else if (outcome !== undefined) {
          await person.expects(outcome, act);
          if (outcome === 'accepted') expect((await person.written())[written]).toBe(what);
        }
      }
      await end?.(person);
    }
    await Promise.all(cases.map(([channel, lang]) => walk(channel, lang)));
  },
);

test('the bot keeps twenty messages for the choice of a ticket, and says what it does not keep', async () => {
  const project = await service.createProject({ plan: 'basic' });
  await project.api('PATCH', '/v1/helpdesk', { enabled: true });
  const person = personIn(project, 'telegram', 'en');
  await createTicket(person);
  const [{ subscriber_id } = { subscriber_id: '' }] = await person.tickets();
  await project.api('POST', '/v1/helpdesk/tickets', { subscriber_id, text: 'by mail' });
  for (let n = 1; n <= 20; n += 1) await person.say(`kept ${n}`);
  await eventually(
    async () => (await person.botMessages()).filter(({ text }) => texts.en.which.test(text)).length === 20,
  );
  expect(await person.answer(() => person.say('one too many'))).toBe(
    'Please choose a request first. This message was not passed on.',
  );
  const { buttons } = (await person.botMessages()).at(-1) ?? { buttons: [] };
  await person.tap(buttons[0]?.[0]?.text ?? '');
  await eventually(async () => (await person.written()).length === 22);
  expect((await person.written()).slice(2)).toEqual(Array.from({ length: 20 }, (_, n) => `kept ${n + 1}`));
});

test.each(cases)(
  'on %s in %s a quote goes to its ticket, and everything else to the one that was chosen',
  async (channel, lang) => {
    const project = await service.createProject({ plan: 'basic' });
    await project.api('PATCH', '/v1/helpdesk', { enabled: true });
    const person = personIn(project, channel, lang);
    await createTicket(person);
    const accepted = (await person.botMessages()).at(-1)?.message_id;
    const [{ subscriber_id } = { subscriber_id: '' }] = await person.tickets();
    await project.api('POST', '/v1/helpdesk/tickets', { subscriber_id, text: 'by mail' });
    const customerTexts = async (number: number) => {
      const [ticket] = (await project.api('GET', `/v1/helpdesk/tickets?number=${number}`)).body.data;
      const { data } = (await project.api('GET', `/v1/helpdesk/tickets/${ticket.ticket_id}/messages`)).body;
      return data.map(({ text }: { text: string }) => text).reverse();
    };
    expect(await person.answer(() => person.say('/tickets'))).toMatch(/#2 [^]*#1 /);
    await person.expects('which', () => person.say('about which?'));
    await person.tap(`#2 ${project.name}`);
    await eventually(async () => (await customerTexts(2)).length === 2);
    await person.say('quoting', { reply_to: accepted });
    await person.say('chosen before');
    await eventually(async () => (await customerTexts(2)).length === 3);
    expect(await customerTexts(1)).toEqual(['first', 'quoting']);
    expect(await customerTexts(2)).toEqual(['by mail', 'about which?', 'chosen before']);
  },
);
