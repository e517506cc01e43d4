import { startTestService, type TestProject, type TestService } from '../../support/service';
import {
  addCrowd,
  freshName,
  subscribePerson,
  textsTo,
  untilBroadcast,
  type Person,
} from '../messages/fixture';
import { startMediaServer, type MediaServer } from '../messages/media-server';

jest.setTimeout(120_000);

const MB = 1_000_000;
const PER_SECOND = 20;
const LONG = 'я'.repeat(2_000);

describe('a broadcast with media', () => {
  let service: TestService;
  let media: MediaServer;
  let project: TestProject;
  beforeAll(async () => {
    // Its own: the pace is a setting.
    service = await startTestService({
      queues: ['broadcasts'],
      env: { HERALD_MESSAGES_PER_SECOND: String(PER_SECOND) },
    });
    media = await startMediaServer();
  });
  beforeEach(async () => {
    project = await service.createProject();
  });
  afterEach(async () => {
    await service.control.faults('telegram', { clear: true });
    await service.pool.query(`UPDATE bot_pace SET next_at = '-infinity'`);
  });
  afterAll(async () => {
    await media.stop();
    await service.stop();
  });

  async function run(body: Record<string, unknown>) {
    const { status, body: started } = await project.api('POST', '/v1/broadcast', { text: 'Look', ...body });
    expect(status).toBe(202);
    return untilBroadcast(project, started.job_id as string, 'completed', 60_000);
  }

  async function callsDuring(work: () => Promise<unknown>, ...methods: string[]): Promise<number[]> {
    const count = () => Promise.all(methods.map((method) => service.control.callCount('telegram', method)));
    const before = await count();
    await work();
    return (await count()).map((n, i) => n - (before[i] ?? 0));
  }

  it.each(['version', 'length', 'nothing'] as const)(
    'is uploaded once for each bot, whatever its server states (%s)',
    async (states) => {
      await addCrowd(service, project, 'telegram', 15);
      await addCrowd(service, project, 'max', 15);
      const name = freshName('broadcast');
      const url = media.file(25 * MB, { name, states });
      media.takePeak();
      expect(await run({ media: { type: 'video', url } })).toMatchObject({ sent: 30, failed: 0 });
      expect(media.downloads(name)).toBe(2);
      const ids = (await service.control.calls('telegram', 'sendVideo')).slice(-14).map(({ video }) => video);
      expect(new Set(ids).size).toBe(1);
      expect(ids[0]).toMatch(/^file-/);
    },
  );

  it('that cannot be fetched fails for each recipient, without a download for each', async () => {
    await addCrowd(service, project, 'telegram', 10);
    const name = freshName('missing');
    const url = media.file(60 * MB, { name, states: 'nothing' });
    expect(await run({ media: { type: 'video', url } })).toMatchObject({ sent: 0, failed: 10 });
    expect(media.downloads(name)).toBe(1);
  });

  it('continues with the text if that is refused for the moment after the media was sent', async () => {
    const people: Person[] = [];
    for (let n = 0; n < 5; n += 1) people.push(await subscribePerson(service, project));
    const url = media.file(1 * MB, { name: freshName('with-text') });
    await service.control.faults('telegram', {
      method: 'sendMessage',
      status: 429,
      retry_after: 1,
      times: 2,
    });
    await service.control.faults('telegram', { method: 'sendMessage', status: 502 });
    const [photos] = await callsDuring(async () => {
      expect(await run({ text: LONG, media: { type: 'photo', url } })).toMatchObject({ sent: 5, failed: 0 });
    }, 'sendPhoto');
    expect(photos).toBe(5);
    for (const person of people) {
      // The greeting, the media, the text.
      expect((await textsTo(service, person)).slice(1)).toEqual(['', LONG]);
    }
  });

  it('counts both calls in the pace of the bot', async () => {
    await addCrowd(service, project, 'telegram', 2 * PER_SECOND);
    const url = media.file(1 * MB, { name: freshName('paced') });
    const done = await run({ text: LONG, media: { type: 'photo', url } });
    expect(done.sent).toBe(2 * PER_SECOND);
    const seconds = (Date.parse(done.ended_at ?? '') - Date.parse(done.started_at ?? '')) / 1000;
    // Four seconds of calls, at most a fifth faster while an idle time is made up for; one call each would take two.
    expect(seconds).toBeGreaterThan(2.8);
  });
});
