import { eventually } from '../../support/eventually';
import type { Installation } from '../../support/installation';
import { useService } from '../../support/use-service';
import { confirmedSession, createSession } from './fixture';

let service: Installation;
beforeAll(async () => {
  service = await useService();
});
afterAll(() => service.stop());

const workflowOf = (sessionId: string) => service.client.workflow.getHandle(`auth/${sessionId}`);

test('a pending login shows what it waits for: a timer, and words', async () => {
  const { session_id: id } = await createSession(await service.createProject());
  const timer = await eventually(async () => {
    const { events } = await workflowOf(id).fetchHistory();
    return events?.find((event) => event.timerStartedEventAttributes);
  });
  expect(Buffer.from(timer.userMetadata?.summary?.data ?? '').toString()).toBe('"the session expires"');
  const { currentDetails } = await workflowOf(id).query<{ currentDetails: string }, []>(
    '__temporal_workflow_metadata',
  );
  expect(currentDetails).toBe('Waiting for the user to answer in the messenger.');
});

test('a verify ends the workflow at once as consumed, with at most 20 history events', async () => {
  const project = await service.createProject();
  const { session, status } = await confirmedSession(service, project, 'redeemer');
  const handle = workflowOf(session.session_id);
  expect((await handle.describe()).status.name).toBe('RUNNING');
  const { status: verified } = await project.api('POST', '/v1/auth/verify', { code: status.code });
  expect(verified).toBe(200);
  // Its code would last for 300 seconds more.
  expect(await handle.result()).toEqual({ status: 'consumed', reason: 'the code was used' });
  const { searchAttributes, historyLength } = await handle.describe();
  expect(searchAttributes['AuthStatus']).toEqual(['consumed']);
  const { events = [] } = await handle.fetchHistory();
  // A slow worker repeats a task, or leaves the edit to an activity.
  const isUndisturbed = !(events ?? []).some(
    (event) => event.workflowTaskTimedOutEventAttributes ?? event.activityTaskScheduledEventAttributes,
  );
  expect(isUndisturbed ? historyLength : 20).toBeLessThanOrEqual(20);
});
