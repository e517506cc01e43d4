import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { simulatedChannels, type SimulatedChannel } from '../../support/simulator-control';
import { useService } from '../../support/use-service';

let service: Installation;
let project: TestProject;
beforeAll(async () => {
  service = await useService();
});
beforeEach(async () => {
  project = await service.createProject({ plan: 'basic' });
  await helpdesk('PATCH', '', { enabled: true });
});
afterAll(() => service.stop());

const helpdesk = (method: string, path: string, body?: object) =>
  project.api(method as 'GET', `/v1/helpdesk${path}`, body);
const tickets = async (query = '') => (await helpdesk('GET', `/tickets${query}`)).body.data;
const timeline = async (id: string) => (await helpdesk('GET', `/tickets/${id}/messages`)).body.data;
const events = async () =>
  (
    await service.pool.query<{ name: string; body: string }>(
      `SELECT name, body FROM events WHERE project_id = $1 AND name LIKE 'ticket.%' ORDER BY id`,
      [project.id],
    )
  ).rows.map(({ name, body }) => ({ name, data: JSON.parse(body).data }));
const last = async (channel: SimulatedChannel, user: string) =>
  (await service.control.chat(channel, user)).messages.filter(({ from }) => from === 'bot').at(-1);
const says = (channel: SimulatedChannel, user: string, text: string) =>
  eventually(async () => (await last(channel, user))?.text === text);

const words = {
  en: {
    about: 'What is it about?',
    accepted: 'Request #1 is accepted.',
    closed: /^Request #1 is closed\. How/,
  },
  ru: {
    about: 'О чём ваш вопрос?',
    accepted: 'Обращение #1 принято.',
    closed: /^Обращение #1 закрыто\. Оцените/,
  },
};

test.each(
  simulatedChannels.flatMap((channel) => (['en', 'ru'] as const).map((lang) => [channel, lang] as const)),
)(
  'on %s in %s a customer writes, the team answers, the customer rates, and every event is sent once',
  async (channel, lang) => {
    const user = `customer-${lang}`;
    await service.control.open(channel, user, { start: `help_${project.slug}`, language_code: lang });
    await says(channel, user, words[lang].about);
    await service.control.say(channel, user, 'Where is my order?');
    await says(channel, user, words[lang].accepted);
    const [ticket] = await tickets();
    expect(ticket).toMatchObject({ number: 1, status: 'new', source: 'bot', channel, overdue: false });

    const reply = await helpdesk('POST', `/tickets/${ticket.ticket_id}/messages`, {
      content: { text: 'It arrives tomorrow.' },
    });
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ from: 'agent', delivery: { status: 'sent', reason: null } });
    const answer = await last(channel, user);
    expect(answer?.text).toBe(`${project.name} · #1\nIt arrives tomorrow.`);

    const content = Buffer.from('a picture').toString('base64');
    await service.control.sendFile(channel, user, { type: 'photo', bytes_base64: content, caption: 'Look' });
    await eventually(async () => (await timeline(ticket.ticket_id)).length === 3);
    const [photo] = await timeline(ticket.ticket_id);
    expect(photo).toMatchObject({ from: 'customer', text: 'Look', attachments: [{ type: 'photo' }] });
    const file = await fetch(
      `${service.url}/v1/helpdesk/tickets/${ticket.ticket_id}/attachments/${photo.attachments[0].attachment_id}`,
      { headers: { authorization: `Bearer ${project.api_key}` } },
    );
    expect([file.status, file.headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
    expect(file.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(await file.text()).toBe('a picture');

    await helpdesk('PATCH', `/tickets/${ticket.ticket_id}`, { status: 'closed' });
    await eventually(async () => words[lang].closed.test((await last(channel, user))?.text ?? ''));
    await service.control.tap(channel, user, { button: '5' });
    await eventually(async () => (await tickets())[0].csat_score === 5);
    expect((await events()).map(({ name }) => name)).toEqual([
      'ticket.created',
      'ticket.replied',
      'ticket.status_changed',
      'ticket.replied',
      'ticket.status_changed',
      'ticket.status_changed',
      'ticket.closed',
      'ticket.csat_received',
    ]);
  },
);
