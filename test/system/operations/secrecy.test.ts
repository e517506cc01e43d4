import { confirmedSession } from '../login/fixture';
import { subscribePerson, textsTo } from '../messages/fixture';
import { eventually } from '../../support/eventually';
import { startTestService, type TestService } from '../../support/service';
import { temporalRecords } from '../../support/temporal-records';
import {
  createEndpoint,
  emitOne,
  scriptedReceiver,
  type ScriptedReceiver,
  untilAttempts,
  untilStatus,
  untilWorkflow,
} from '../webhooks/fixture';
import { scrape } from './fixture';

const lines: string[] = [];
let service: TestService;
let receiver: ScriptedReceiver;
beforeAll(async () => {
  receiver = await scriptedReceiver(200);
  // Its own: its log.
  service = await startTestService({ logLines: lines });
});
afterAll(async () => {
  await service?.stop();
  await receiver.close();
});

const profile = { first_name: 'Xanthippa', username: 'xanthippa_nick' };

test('no secret, key, body, name, text or code of a delivery or message is in any log, history, search attribute or metric', async () => {
  const project = await service.createProject({ callback_url: 'https://shop.example/cb' });
  const endpoint = await createEndpoint(project, `${receiver.url}/path-that-only-the-receiver-knows`, {
    description: 'our-own-words-about-it',
    delivery_lane: 'workflow',
  });

  // A login: its events carry the user's names and the project's state to the endpoint.
  const { status, session } = await confirmedSession(service, project, 'secrecy-login', {
    profile,
    body: { state: 'state-nobody-may-read', client_ip: '198.51.100.77', user_agent: 'Browser of Xanthippa' },
  });
  await project.api('POST', '/v1/auth/verify', { code: status.code });

  // A delivery that succeeds, one that fails with a talkative receiver, and one that is refused.
  const good = await emitOne(service, project, endpoint.id);
  await untilStatus(project, good, 'succeeded');
  receiver.behave((res) => {
    res.statusCode = 500;
    res.end('answer-of-the-receiver');
  });
  const failing = await emitOne(service, project, endpoint.id);
  await untilAttempts(project, failing, 1);
  const rotated = await project.api('POST', `/v1/webhooks/${endpoint.id}/rotate-secret`);
  receiver.behave(404);
  const refused = await emitOne(service, project, endpoint.id);
  await untilStatus(project, refused, 'failed');
  await untilWorkflow(service, refused, 'FAILED');

  // An internal error in the middle of an attempt: the secret cannot be decrypted.
  const broken = await createEndpoint(project, receiver.url, {
    events: ['otp.verified'],
    delivery_lane: 'workflow',
  });
  await service.pool.query(
    `UPDATE endpoint_secrets SET sealed = 'k1.sealed-value-of-a-secret' WHERE endpoint_id = $1`,
    [broken.id],
  );
  const faulty = await emitOne(service, project, broken.id, 'otp.verified');
  await eventually(async () => (await temporalRecords(service)).includes('internal error ('));
  await eventually(() => lines.join().includes('an activity failed with an internal error'));
  await project.api('POST', `/v1/deliveries/${faulty}/cancel`);

  // Messages and one-time codes.
  const person = await subscribePerson(service, project, 'telegram', {
    ...profile,
    first_name: 'Xanthippa II',
  });
  const to = { subscriber_id: person.subscriberId };
  await project.api('PATCH', `/v1/subscribers/${person.subscriberId}`, { external_id: 'crm-of-xanthippa' });
  const sent = await project.api('POST', '/v1/send', { ...to, text: 'text-of-a-message' });
  expect(sent.body).toMatchObject({ sent: 1 });
  expect((await project.api('POST', '/v1/otp/send', to)).status).toBe(200);
  const otp = await eventually(async () =>
    (await textsTo(service, person)).map((text) => /\b\d{6}\b/.exec(text)?.[0]).find(Boolean),
  );
  await project.api('POST', '/v1/otp/verify', { ...to, code: otp });
  await service.control.faults('telegram', { user: person.name, method: 'sendMessage', status: 400 });
  await project.api('POST', '/v1/send', { ...to, text: 'text-of-a-refused-message' });

  // For later and for many: each has a workflow.
  const content = { text: 'text-of-a-later-message' };
  const name = 'name-of-a-later-message';
  const made = async (place: string, body: object): Promise<Record<string, string>> => {
    const { status: code, body: created } = await project.api('POST', place, body);
    expect([place, code]).toEqual([place, place === '/v1/broadcast' ? 202 : 201]);
    return created;
  };
  const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
  const scheduled = await made('/v1/scheduled', { ...to, name, content, scheduled_at });
  const recurring = await made('/v1/recurring', { name, content, audience: {}, cron: '0 9 * * *' });
  const chain = await made('/v1/drip-chains', {
    name,
    trigger: { type: 'manual' },
    steps: [
      { id: 'first', type: 'send', content },
      { id: 'rest', type: 'delay', minutes: 60 },
    ],
    status: 'active',
  });
  const enrolled = await project.api('POST', `/v1/drip-chains/${chain['drip_id']}/enrolments`, to);
  const broadcast = await made('/v1/broadcast', content);

  const workflows = [
    ...[session.session_id, good, failing, refused, scheduled['scheduled_id'], recurring['recurring_id']],
    ...[enrolled.body.data[0].enrolment_id, broadcast['job_id']],
  ];
  const records = await eventually(async () => {
    const all = await temporalRecords(service);
    for (const id of workflows) expect(all).toContain(id);
    return all;
  });
  const { text: metricsPage } = await scrape(service.service.operatorsUrl);
  const everything = [lines.join('\n'), records, metricsPage].join('\n');
  expect(everything).toContain('"attempt"');

  const secrets = [
    endpoint.secret,
    (rotated.body as { secret: string }).secret,
    project.api_key,
    status.code,
    `"${otp}"`,
    `: ${otp}`,
    'sealed-value-of-a-secret',
    'path-that-only-the-receiver-knows',
    'our-own-words-about-it',
    'answer-of-the-receiver',
    'state-nobody-may-read',
    '198.51.100.77',
    'Xanthippa',
    'xanthippa',
    'text-of-a-message',
    'text-of-a-refused-message',
    'text-of-a-later-message',
    'name-of-a-later-message',
    'simulated-telegram-bot-token',
    'simulated-max-bot-token',
    // A field of every body of a subscriber's event.
    'first_name',
  ];
  for (const secret of secrets) {
    expect(typeof secret).toBe('string');
    const place = everything.indexOf(secret ?? '');
    expect(place < 0 ? 'nowhere' : everything.slice(Math.max(0, place - 200), place + 100)).toBe('nowhere');
  }
});
