import { eventually } from '../../support/eventually';
import { startTestService, type TestService } from '../../support/service';
import { confirmedSession, createSession, linkOf, openAndWait, startOf, waitForStatus } from './fixture';

const lines: string[] = [];
let service: TestService;
beforeAll(async () => {
  // Its own: for its log.
  service = await startTestService({ logLines: lines, queues: ['logins'] });
});
afterAll(() => service.stop());

/** Everything that Temporal keeps of this test's workflows: histories and search attributes. */
async function temporalRecords(): Promise<string> {
  const records: string[] = [];
  for await (const execution of service.client.workflow.list({
    query: `TaskQueue = '${service.queuePrefix}-logins'`,
  })) {
    const handle = service.client.workflow.getHandle(execution.workflowId, execution.runId);
    const history = await handle.fetchHistory();
    // Payloads are bytes: decoded, so that they can be searched.
    records.push(
      JSON.stringify(history, (_key, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
      ),
    );
    records.push(
      JSON.stringify(await handle.describe(), (key, value: unknown) => (key === 'raw' ? undefined : value)),
    );
  }
  return records.join('\n');
}

test('no code, token, key, secret or name is in any log line, history or search attribute', async () => {
  const project = await service.createProject({ callback_url: 'https://shop.example/cb' });
  const profile = { first_name: 'Zebulonia', username: 'zebulonia_nick' };
  const { session, status } = await confirmedSession(service, project, 'secret-telegram', { profile });
  await project.api('POST', '/v1/auth/verify', { code: status.code });
  await confirmedSession(service, project, 'secret-max', { channel: 'max', profile });
  const declined = await createSession(project, { state: 'state-of-zebulonia' });
  const question = await openAndWait(service, 'max', 'secret-no', startOf(linkOf(declined, 'max')), profile);
  await service.control.tap('max', 'secret-no', { button: 'No' });
  await waitForStatus(service, declined.session_id, 'declined');
  await service.control.faults('telegram', { method: 'sendMessage', times: 1, status: 400 });
  await service.control.say('telegram', 'secret-telegram', 'Zebulonia types something private');
  await project.api('POST', '/v1/auth/verify', { code: 'a-guess-at-a-code' });

  await eventually(async () => {
    const { pending_updates } = await service.control.stats('telegram');
    const { rows } = await service.pool.query('SELECT 1 FROM bot_updates WHERE handled_at IS NULL');
    return pending_updates === 0 && rows.length === 0;
  });

  // Temporal's list shows a workflow some time after its start.
  const records = await eventually(async () => {
    const found = await temporalRecords();
    return [session, declined].every(({ session_id }) => found.includes(session_id)) ? found : undefined;
  });
  const everything = `${lines.join('\n')}\n${records}`;
  expect(everything).toContain('session settled');
  const secrets = [
    status.code,
    project.api_key,
    startOf(session.telegram_link).slice(2),
    startOf(declined.max_link).slice(2),
    session.hosted_url.split('/').at(-1),
    question.buttons[0]?.[0]?.data?.slice(2),
    'Zebulonia',
    'zebulonia',
    'a-guess-at-a-code',
    'simulated-telegram-bot-token',
    'simulated-max-bot-token',
  ];
  for (const secret of secrets) {
    expect(typeof secret).toBe('string');
    const place = everything.indexOf(secret ?? '');
    expect(place < 0 ? 'nowhere' : everything.slice(Math.max(0, place - 200), place + 100)).toBe('nowhere');
  }
});
