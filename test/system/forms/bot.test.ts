import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { simulatedChannels, type SimulatedChannel } from '../../support/simulator-control';
import { useService } from '../../support/use-service';
import { eventsOf, freshName } from '../messages/fixture';
import { field, forms } from './fixture';

let service: Installation;
let project: TestProject;
const { create, list } = forms(
  () => service,
  () => project,
);

beforeAll(async () => {
  service = await useService();
  project = await service.createProject();
});
afterAll(() => service?.stop());

const words = {
  en: { skip: 'Skip', done: 'Done', yes: 'Yes', no: 'No', email: 'Enter an email', thanks: 'Thank you' },
  ru: { skip: 'Пропустить', done: 'Готово', yes: 'Да', no: 'Нет', email: 'Укажите почту', thanks: 'Спасибо' },
};

/** A person who fills a form; each step waits for what the bot says to it. */
function filler(channel: SimulatedChannel, lang: 'en' | 'ru') {
  const user = freshName();
  const last = async () =>
    (await service.control.chat(channel, user)).messages.filter(({ from }) => from === 'bot').at(-1);
  const says = (part: string) =>
    eventually(async () => {
      const message = await last();
      return message?.text.includes(part) ? message : undefined;
    });
  return {
    user,
    says,
    open: (formId: string) =>
      service.control.open(channel, user, {
        start: `form_${formId.replaceAll('-', '')}`,
        first_name: user,
        language_code: lang,
      }),
    say: (text: string) => service.control.say(channel, user, text),
    tap: (button: string) => service.control.tap(channel, user, { button }),
    forge: (message_id: unknown, data: string) => service.control.tap(channel, user, { message_id, data }),
  };
}

const fields = [
  field('name', { label_ru: 'Имя', required: true }),
  field('email', { type: 'email', label_ru: 'Почта', required: true }),
  field('size', {
    type: 'select',
    label_ru: 'Размер',
    options: [{ value: 's', label_en: 'Small', label_ru: 'Малый' }, { value: 'm' }],
  }),
  field('extras', {
    type: 'multiselect',
    label_ru: 'Ещё',
    required: true,
    options: [{ value: 'a' }, { value: 'b' }],
  }),
  field('note', { type: 'textarea', label_ru: 'Заметка' }),
  field('terms', { type: 'checkbox', label_ru: 'Согласие', required: true }),
];

it.each(
  simulatedChannels.flatMap((channel) => (['en', 'ru'] as const).map((lang) => [channel, lang] as const)),
)(
  'a form is filled in the bot question by question (%s, %s), and its last answer subscribes',
  async (channel, lang) => {
    const form = await create({ fields, title_en: 'Order', title_ru: 'Заказ' });
    const t = words[lang];
    const person = filler(channel, lang);
    await person.open(form.form_id);
    await person.says('1/6.');
    await person.say('Anna');
    await person.says('2/6.');
    await person.say('not an address');
    await person.says(t.email);
    await person.say('anna@example.com');
    const select = await person.says('3/6.');
    expect(select?.buttons.flat().map(({ text }) => text)).toEqual([
      lang === 'ru' ? 'Малый' : 'Small',
      'm',
      t.skip,
    ]);
    await person.tap('m');
    const several = await person.says('4/6.');
    await person.tap('a');
    await eventually(async () =>
      (await person.says('4/6.'))?.buttons.flat().some(({ text }) => text === '✓ a'),
    );
    // A button of a question that was answered changes nothing.
    await person.forge(select?.message_id, select?.buttons[0]?.[0]?.data ?? '');
    await person.tap(t.done);
    await person.says('5/6.');
    expect(several?.buttons.flat().map(({ text }) => text)).not.toContain(t.skip);
    await person.tap(t.skip);
    await person.says('6/6.');
    await person.tap(t.no);
    await person.says('6/6.');
    await person.tap(t.yes);
    await person.says(t.thanks);
    const [stored, ...others] = await list(form);
    expect(others).toEqual([]);
    expect(stored).toMatchObject({
      source: 'bot',
      answers: { name: 'Anna', email: 'anna@example.com', size: 'm', extras: ['a'], terms: true },
      subscriber_id: expect.any(String),
    });
    const events = await eventsOf(service, project, 'subscription.created', 'form.submitted');
    const own = events.filter(({ data }) => data['subscriber_id'] === stored?.subscriber_id);
    expect(own.map(({ name }) => name)).toEqual(['subscription.created', 'form.submitted']);
    expect(own[1]?.data).toMatchObject({
      form_id: form.form_id,
      submission_id: stored?.submission_id,
      channel,
      answers: stored?.answers,
      source: 'bot',
    });
  },
);

it('/cancel leaves the form, another link begins it again, and what is no text is explained', async () => {
  const form = await create({
    fields: [field('name', { required: true }), field('city', { required: true })],
  });
  const person = filler('telegram', 'en');
  await person.open(form.form_id);
  await person.says('1/2.');
  await person.say('Anna');
  await person.says('2/2.');
  // A draft goes on where it was.
  await person.open(form.form_id);
  await person.says('2/2.');
  await person.say('/cancel');
  await person.says('Cancelled.');
  await person.say('Berlin');
  await person.says('Sorry');
  expect(await list(form)).toEqual([]);
  await person.open('0'.repeat(32));
  await person.says('not valid');
});

it('asks again for what a change of the form has made wrong, and a draft lives 24 hours', async () => {
  const options = [{ value: 'a' }, { value: 'b' }];
  const extras = field('extras', { type: 'multiselect', options });
  const form = await create({ fields: [field('note'), extras, field('city')] });
  const person = filler('telegram', 'en');
  await person.open(form.form_id);
  await person.says('1/3.');
  await person.tap('Skip');
  await person.says('2/3.');
  // A photo is no answer, whatever its caption says, and skips nothing.
  await service.control.sendFile('telegram', person.user, { type: 'photo', caption: 'b' });
  await person.says('Choose one of the options.');
  // The question is gone: the answer counts all the same.
  await service.control.faults('telegram', {
    method: 'editMessageText',
    user: person.user,
    status: 400,
    description: 'Bad Request: message to edit not found',
    times: 1,
  });
  await person.tap('Skip');
  await person.says('3/3.');
  await project.api('PUT', `/v1/forms/${form.form_id}`, {
    name: 'Form',
    fields: [field('note', { required: true }), extras, field('city')],
  });
  await person.say('Berlin');
  await person.says('1/3.');
  await service.pool.query('UPDATE form_drafts SET expires_at = now() WHERE form_id = $1', [form.form_id]);
  await person.say('Too late');
  await person.says('Sorry');
  await person.open(form.form_id);
  await person.says('1/3.');
  await person.say('Note');
  await person.says('2/3.');
  await person.say('b');
  await person.says('3/3.');
  await person.say('skip');
  await person.says('Thank you');
  expect(await list(form)).toEqual([expect.objectContaining({ answers: { note: 'Note', extras: ['b'] } })]);
});
