import { eventually } from '../support/eventually';
import { startSecondProcess, type HeraldProcess } from '../support/herald-process';
import { startTestService, type TestService } from '../support/service';
import { subscribePerson, textsTo, untilBroadcast } from '../system/messages/fixture';
import { startMediaServer, type MediaServer } from '../system/messages/media-server';

jest.setTimeout(180_000);

describe('a broadcast whose worker is killed between media and text', () => {
  let service: TestService;
  let media: MediaServer;
  let worker: HeraldProcess | undefined;
  beforeAll(async () => {
    // Its own: its worker is a process that is killed.
    service = await startTestService({ roles: 'api,bots' });
    media = await startMediaServer();
  });
  afterAll(async () => {
    await worker?.kill9();
    await media.stop();
    await service.stop();
  });

  it.each([
    ['by URL', 1_000_000],
    ['uploaded', 8_000_000],
  ])('sends the text and not the media again (%s)', async (_way, bytes) => {
    const project = await service.createProject();
    const person = await subscribePerson(service, project);
    const photos = await service.control.callCount('telegram', 'sendPhoto');
    // The text is under way, and will never arrive, when the worker dies.
    await service.control.faults('telegram', { method: 'sendMessage', delay_ms: 10_000, drop: true });
    worker = await startSecondProcess(service, 'worker');
    const text = 'я'.repeat(2_000);
    const { body } = await project.api('POST', '/v1/broadcast', {
      text,
      media: { type: 'photo', url: media.file(bytes) },
    });
    const jobId = body.job_id as string;
    await eventually(async () => {
      const { rows } = await service.pool.query<{ media_message_id: string | null }>(
        'SELECT media_message_id FROM broadcast_recipients WHERE broadcast_id = $1',
        [jobId],
      );
      return rows[0]?.media_message_id;
    }, 60_000);
    await worker.kill9();
    await service.control.faults('telegram', { clear: true });
    worker = await startSecondProcess(service, 'worker');
    const end = await untilBroadcast(project, jobId, 'completed', 90_000);
    expect(end).toMatchObject({ sent: 1, failed: 0, possible_duplicates: 1 });
    expect((await service.control.callCount('telegram', 'sendPhoto')) - photos).toBe(1);
    expect((await textsTo(service, person)).slice(1)).toEqual(['', text]);
    await worker.stop();
  });
});
