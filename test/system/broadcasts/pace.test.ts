import pg from 'pg';
import { lockBotPace } from '../../../src/domains/bots/queries/pace';
import { eventually } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { addCrowd, eventsOf, subscribePerson, textsTo, untilBroadcast } from '../messages/fixture';

jest.setTimeout(120_000);

/** Below the pace of the other tests, so that a broadcast is still running when the test looks. */
const PER_SECOND = 25;

describe('the pace of a bot', () => {
  let service: TestService;
  let project: TestProject;
  beforeAll(async () => {
    // Its own: the pace is a setting.
    service = await startTestService({
      queues: ['broadcasts'],
      env: { HERALD_MESSAGES_PER_SECOND: String(PER_SECOND) },
    });
  });
  beforeEach(async () => {
    project = await service.createProject();
  });
  afterEach(async () => {
    await service.control.faults('telegram', { clear: true });
    await service.control.limits('telegram', {});
    await service.pool.query(`UPDATE bot_pace SET next_at = '-infinity'`);
    await service.pool.query('TRUNCATE chat_pace');
  });
  afterAll(() => service.stop());

  async function broadcast(from: TestProject): Promise<string> {
    const { body } = await from.api('POST', '/v1/broadcast', { text: 'news' });
    return body.job_id as string;
  }

  const send = (from: TestProject, subscriberId: string) =>
    from.api('POST', '/v1/send', { subscriber_id: subscriberId, text: 'now' });

  async function sentOf(from: TestProject, jobId: string): Promise<number> {
    return (await from.api('GET', `/v1/broadcast/${jobId}`)).body.sent as number;
  }

  /** A broadcast of more than a minute, which has used up what the bot may make up for. */
  async function largeBroadcast(): Promise<string> {
    await addCrowd(service, project, 'telegram', 80 * PER_SECOND);
    const jobId = await broadcast(project);
    await eventually(async () => (await sentOf(project, jobId)) > PER_SECOND);
    return jobId;
  }

  /** How many messages of the broadcasts were sent from the first to the last message that the query finds. */
  async function sentMeanwhile(jobIds: string[], messages: string, id: string): Promise<number> {
    const { rows } = await service.pool.query<{ sent: number }>(
      `SELECT count(*)::int AS sent FROM broadcast_recipients r,
         (SELECT min(ended_at) AS first, max(ended_at) AS last FROM ${messages} = $2) other
       WHERE r.broadcast_id = ANY ($1) AND r.ended_at BETWEEN other.first AND other.last`,
      [jobIds, id],
    );
    return rows[0]?.sent ?? -1;
  }
  const OF_BROADCAST = 'broadcast_recipients WHERE broadcast_id';
  const OF_PROJECT = 'messages WHERE project_id';

  async function cancel(from: TestProject, jobId: string): Promise<void> {
    await from.api('DELETE', `/v1/broadcast/${jobId}`);
    await untilBroadcast(from, jobId, 'cancelled');
  }

  it('is shared between projects: a small broadcast keeps its half beside a large one', async () => {
    const large = await largeBroadcast();
    const small = await service.createProject();
    await addCrowd(service, small, 'telegram', 60);
    const jobId = await broadcast(small);
    await untilBroadcast(small, jobId, 'completed');
    const meanwhile = await sentMeanwhile([large], OF_BROADCAST, jobId);
    // Level with 60.
    expect(meanwhile).toBeLessThan(110);
    expect(meanwhile).toBeGreaterThan(20);
    await cancel(project, large);
  });

  it('goes to a project once, however many broadcasts it has', async () => {
    await addCrowd(service, project, 'telegram', 2_000);
    const many = await Promise.all(Array.from({ length: 5 }, () => broadcast(project)));
    await eventually(async () => {
      const sent = await Promise.all(many.map((jobId) => sentOf(project, jobId)));
      return sent.every((count) => count > 0);
    });
    const other = await service.createProject();
    await addCrowd(service, other, 'telegram', 60);
    const jobOfOther = await broadcast(other);
    await untilBroadcast(other, jobOfOther, 'completed');
    expect(await sentMeanwhile(many, OF_BROADCAST, jobOfOther)).toBeLessThan(120);
    for (const jobId of many) await cancel(project, jobId);
  });

  it('goes to single messages before broadcasts', async () => {
    const large = await largeBroadcast();
    const other = await service.createProject();
    const people = [];
    for (let i = 0; i < 20; i += 1) people.push(await subscribePerson(service, other));
    // The bot is paused until all of them wait for their turn.
    await service.pool.query(
      `UPDATE bot_pace SET next_at = clock_timestamp() + interval '5 seconds' WHERE bot = 'telegram'`,
    );
    const answers = await Promise.all(people.map(({ subscriberId }) => send(other, subscriberId)));
    expect(answers.map(({ body }) => body.sent)).toEqual(people.map(() => 1));
    // Twenty messages take most of a second; the broadcast had next to nothing in it.
    expect(await sentMeanwhile([large], OF_PROJECT, other.id)).toBeLessThan(20);
    await cancel(project, large);
  });

  it('is shared between the single messages of projects too', async () => {
    const other = await service.createProject();
    const person = await subscribePerson(service, other);
    const crowd = await addCrowd(service, project, 'telegram', 200);
    const { rows } = await service.pool.query<{ id: string }>(
      `SELECT id FROM subscribers WHERE project_id = $1 AND platform_user_id::bigint >= $2`,
      [project.id, crowd.from],
    );
    let answered = 0;
    const flood = rows.map(async ({ id }) => {
      const answer = await send(project, id);
      answered += 1;
      return answer;
    });
    await eventually(() => answered > 20);
    expect((await send(other, person.subscriberId)).body.sent).toBe(1);
    // Eight seconds of messages were waiting.
    expect(answered).toBeLessThan(150);
    await Promise.all(flood);
  });

  it('and of a chat stay within the limits of the platform', async () => {
    // The peak of 30 a second, and what it may make up for.
    await service.control.limits('telegram', { per_second: 36, chat_per_second: 1 });
    const others = [project, await service.createProject()];
    const crowd = await addCrowd(service, project, 'telegram', 60);
    // The same people have subscribed to a second project.
    await service.pool.query(
      `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
       SELECT $2, channel, platform_user_id, chat_id, first_name, lang FROM subscribers WHERE project_id = $1`,
      [project.id, others[1]?.id],
    );
    const { rows } = await service.pool.query<{ id: string }>(
      'SELECT id FROM subscribers WHERE project_id = $1 AND platform_user_id = $2',
      [project.id, String(crowd.from)],
    );
    const id = rows[0]?.id ?? '';
    const jobs = await Promise.all(others.map(broadcast));
    const answers = await Promise.all([send(project, id), send(project, id), send(project, id)]);
    for (const [i, from] of others.entries()) {
      expect(await untilBroadcast(from, jobs[i] ?? '', 'completed')).toMatchObject({ sent: 60, failed: 0 });
    }
    expect(answers.map(({ body }) => body.sent)).toEqual([1, 1, 1]);
    // A busy machine can delay a call after its claim, so that it meets the next one. Without the pace of chats every
    // second message of the 60 people would be throttled.
    expect((await service.control.stats('telegram')).messages_throttled).toBeLessThan(30);
  });

  it('is not stopped by a 429 for one chat, and the message of that chat comes later', async () => {
    const people = [];
    for (let i = 0; i < 4; i += 1) people.push(await subscribePerson(service, project));
    const [throttled, ...free] = people;
    if (!throttled) throw new Error('nobody subscribed');
    await service.control.faults('telegram', {
      method: 'sendMessage',
      status: 429,
      retry_after: 20,
      user: throttled.name,
    });
    const jobId = await broadcast(project);
    await eventually(async () => (await sentOf(project, jobId)) === 3);
    expect(
      (await service.pool.query(`SELECT 1 FROM bot_pace WHERE next_at > now() + interval '5 seconds'`)).rows,
    ).toEqual([]);
    const other = await service.createProject();
    const person = await subscribePerson(service, other);
    expect((await send(other, person.subscriberId)).body.sent).toBe(1);
    expect(await sentOf(project, jobId)).toBe(3);
    expect(await untilBroadcast(project, jobId, 'completed')).toMatchObject({ sent: 4, failed: 0 });
    for (const each of [throttled, ...free]) {
      expect((await textsTo(service, each)).filter((text) => text === 'news')).toHaveLength(1);
    }
    expect(await eventsOf(service, project, 'delivery.failed')).toEqual([]);
  });

  it('is stopped by a 429 for three chats at once', async () => {
    for (let i = 0; i < 4; i += 1) await subscribePerson(service, project);
    await service.control.faults('telegram', {
      method: 'sendMessage',
      status: 429,
      retry_after: 3,
      times: 3,
    });
    const jobId = await broadcast(project);
    await eventually(
      async () =>
        (await service.pool.query(`SELECT 1 FROM bot_pace WHERE next_at > now() + interval '1 second'`)).rows
          .length > 0,
    );
    expect(await untilBroadcast(project, jobId, 'completed')).toMatchObject({ sent: 4, failed: 0 });
  });

  it('is not held for long by a process that stalls while it claims', async () => {
    const person = await subscribePerson(service, project);
    const stalled = new pg.Client({ connectionString: service.database.url });
    stalled.on('error', () => undefined);
    await stalled.connect();
    await stalled.query('BEGIN');
    await lockBotPace(stalled, 'telegram');
    expect((await send(project, person.subscriberId)).body.sent).toBe(1);
    await stalled.end().catch(() => undefined);
  });

  it('is not held by a process that died while it waited', async () => {
    await service.pool.query(
      `INSERT INTO bot_turns (bot, urgent, project_id, served, waiting_until)
       VALUES ('telegram', true, gen_random_uuid(), 0, now() + interval '2 seconds'),
         ('telegram', false, gen_random_uuid(), -1000, now() + interval '2 seconds')`,
    );
    await addCrowd(service, project, 'telegram', 20);
    const jobId = await broadcast(project);
    expect(await untilBroadcast(project, jobId, 'completed')).toMatchObject({ sent: 20 });
  });
});
