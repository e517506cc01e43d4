import type { TestProject, TestService } from '../../../support/service';
import {
  createEndpoint,
  emitOne,
  readDelivery,
  scriptedReceiver,
  untilAttempts,
  untilStatus,
  type CreatedEndpoint,
  type ScriptedReceiver,
} from '../fixture';
import type { RunningLane } from './lane';

/** The rule of 120 hours: an endpoint that does nothing but fail is disabled. */
export function endpointHealth(lane: RunningLane): void {
  let service: TestService;
  let project: TestProject;
  let receiver: ScriptedReceiver;
  let endpoint: CreatedEndpoint;

  beforeAll(() => {
    ({ service } = lane);
  });
  beforeEach(async () => {
    project = await service.createProject();
    receiver = await scriptedReceiver(503);
    // Not the events about the endpoint itself, which the jumps in time cause.
    endpoint = await createEndpoint(project, receiver.url, { events: ['auth.completed'] });
  });
  afterEach(() => receiver.close());

  /** An event whose first attempt fails; the next one is half a minute away. */
  async function failOnce(): Promise<string> {
    const id = await emitOne(service, project, endpoint.id);
    await untilAttempts(project, id, 1);
    return id;
  }

  /** As if everything that happened to the endpoint had happened that much earlier. */
  async function hoursPass(hours: number): Promise<void> {
    await service.pool.query(
      'UPDATE endpoints SET failing_since = failing_since - make_interval(hours => $2) WHERE id = $1',
      [endpoint.id, hours],
    );
  }

  const endpointNow = async () => (await project.api('GET', `/v1/webhooks/${endpoint.id}`)).body;

  test('120 hours of nothing but failures disable the endpoint, once, with the reason shown', async () => {
    const ids = [await failOnce()];
    await hoursPass(119);
    ids.push(await failOnce());
    expect(await endpointNow()).toMatchObject({ status: 'active', disabled_reason: null });

    await hoursPass(2);
    ids.push(await failOnce());
    expect(await endpointNow()).toMatchObject({
      status: 'disabled',
      disabled_reason: 'failing',
    });
    const { rows } = await service.pool.query('SELECT version FROM endpoints WHERE id = $1', [endpoint.id]);
    expect(rows).toEqual([{ version: 2 }]);
    for (const id of ids) expect((await readDelivery(project, id)).status).toBe('paused');
    expect(receiver.received).toHaveLength(3);
  });

  test('a success in between starts the 120 hours anew', async () => {
    await failOnce();
    await failOnce();
    await hoursPass(130);
    receiver.behave(200);
    await untilStatus(project, await emitOne(service, project, endpoint.id), 'succeeded');
    receiver.behave(503);
    await failOnce();
    expect(await endpointNow()).toMatchObject({ status: 'active', disabled_reason: null });
  });

  test('120 hours of failures of one delivery alone disable it too; another URL keeps the reason', async () => {
    const id = await failOnce();
    await hoursPass(200);
    await project.api('POST', `/v1/deliveries/${id}/retry`);
    await untilAttempts(project, id, 2);
    const disabled = { status: 'disabled', disabled_reason: 'failing' };
    expect(await endpointNow()).toMatchObject(disabled);
    await project.api('PUT', `/v1/webhooks/${endpoint.id}`, { url: `${receiver.url}/other` });
    expect(await endpointNow()).toMatchObject(disabled);
  });
}
