import { eventually } from '../../../support/eventually';
import type { TestProject, TestService } from '../../../support/service';
import {
  createEndpoint,
  emitExample,
  emitOne,
  listDeliveries,
  readDelivery,
  scriptedReceiver,
  untilAttempts,
  untilStatus,
  untilWorkflow,
  workflowOf,
  type ScriptedReceiver,
} from '../fixture';
import type { RunningLane } from './lane';

/** What a project and an operator can read about deliveries, and what neither can. */
export function log(lane: RunningLane): void {
  let service: TestService;
  let project: TestProject;
  let receiver: ScriptedReceiver;
  const { logLines } = lane;

  beforeAll(() => {
    ({ service } = lane);
  });

  beforeEach(async () => {
    project = await service.createProject();
    receiver = await scriptedReceiver();
  });

  afterEach(() => receiver.close());

  interface Page {
    data: { id: string }[];
    next_cursor: string | null;
  }

  test('pages have no gaps and no repeats while deliveries arrive, in both directions', async () => {
    const endpoint = await createEndpoint(project, receiver.url);
    const page = async (cursor: string | null) => {
      const query = cursor ? `?limit=4&cursor=${cursor}` : '?limit=4';
      const { body } = await project.api<Page>('GET', `/v1/webhooks/${endpoint.id}/deliveries${query}`);
      return body;
    };
    const emitted: string[] = [];
    for (let i = 0; i < 14; i += 1) emitted.unshift(await emitOne(service, project, endpoint.id));

    const seen: string[] = [];
    const cursors: (string | null)[] = [null];
    for (;;) {
      const { data, next_cursor } = await page(cursors.at(-1)!);
      seen.push(...data.map(({ id }) => id));
      // New ones arrive between any two pages: they belong before the first page.
      await emitExample(service, project);
      if (next_cursor === null) break;
      cursors.push(next_cursor);
    }
    expect(seen).toEqual(emitted);
    // Back again: an old cursor still shows the page it showed before.
    expect(cursors).toHaveLength(4);
    for (const [index, cursor] of [...cursors.entries()].slice(1).reverse()) {
      expect((await page(cursor)).data.map(({ id }) => id)).toEqual(emitted.slice(index * 4, index * 4 + 4));
    }
  });

  test('events of one transaction, which share their time, page without gaps', async () => {
    const endpoint = await createEndpoint(project, receiver.url, { events: ['otp.sent'] });
    await service.pool.query(
      `WITH event AS (INSERT INTO events (project_id, name, body) VALUES ($1, 'otp.sent', '{}') RETURNING id)
     INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy, status)
     SELECT $1, $2, event.id, 'otp.sent', 'quick', 'succeeded' FROM event, generate_series(1, 25)`,
      [project.id, endpoint.id],
    );
    const seen = new Set<string>();
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null; pages += 1) {
      expect(pages).toBeLessThan(10);
      const { body }: { body: Page } = await project.api<Page>(
        'GET',
        `/v1/webhooks/${endpoint.id}/deliveries?limit=10${cursor && `&cursor=${cursor}`}`,
      );
      for (const { id } of body.data) seen.add(id);
      cursor = body.next_cursor;
    }
    expect(seen.size).toBe(25);
  });

  test('filters by status, event and time; nonsense is refused with the field named', async () => {
    const endpoint = await createEndpoint(project, receiver.url);
    const login = await emitOne(service, project, endpoint.id, 'auth.completed');
    await untilStatus(project, login, 'succeeded');
    receiver.behave(404);
    const otp = await emitOne(service, project, endpoint.id, 'otp.sent');
    await untilStatus(project, otp, 'failed');
    const ids = async (query: string) =>
      (await listDeliveries(project, endpoint.id, query)).map(({ id }) => id);

    expect(await ids('?status=succeeded')).toEqual([login]);
    expect(await ids('?status=failed')).toEqual([otp]);
    expect(await ids('?status=pending')).toEqual([]);
    expect(await ids('?event=otp.sent')).toEqual([otp]);
    const { created_at } = await readDelivery(project, otp);
    expect(await ids(`?since=${encodeURIComponent(created_at)}`)).toEqual([otp]);
    expect(await ids('?limit=1')).toEqual([otp]);

    for (const [query, field] of [
      ['?status=lost', 'status'],
      ['?event=no.such', 'event'],
      ['?since=yesterday', 'since'],
      ['?limit=0', 'limit'],
      ['?limit=101', 'limit'],
      ['?cursor=nonsense', 'cursor'],
      ['?colour=red', 'colour'],
    ]) {
      const { status, body } = await project.api('GET', `/v1/webhooks/${endpoint.id}/deliveries${query}`);
      expect([query, status, body.code]).toEqual([query, 400, 'validation_failed']);
      expect(body.error).toContain(field);
    }
  });

  test('each attempt is one wide log line', async () => {
    receiver.behave(404);
    const endpoint = await createEndpoint(project, receiver.url);
    const id = await emitOne(service, project, endpoint.id);
    await untilStatus(project, id, 'failed');
    // The line comes right after the commit that ends the delivery.
    const lines = await eventually(() => {
      const all = logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
      const own = all.filter((line) => line['delivery_id'] === id && line['msg'] === 'attempt');
      return own.length > 0 ? own : null;
    });
    expect(lines).toEqual([
      expect.objectContaining({
        project_id: project.id,
        endpoint_id: endpoint.id,
        event: 'auth.completed',
        attempt: 1,
        http_status: 404,
        error: null,
        ms: expect.any(Number),
        delivery_status: 'failed',
      }),
    ]);
  });

  test('the secret and the payload are in no log line, no list and no workflow history', async () => {
    const query = 'token=very-private';
    const endpoint = await createEndpoint(project, `${receiver.url}?${query}`);
    const { body: rotated } = await project.api('POST', `/v1/webhooks/${endpoint.id}/rotate-secret`);
    receiver.behave(503);
    const id = await emitOne(service, project, endpoint.id);
    await untilAttempts(project, id, 1);
    receiver.behave(200);
    await project.api('POST', `/v1/deliveries/${id}/retry`);
    await untilWorkflow(service, id, 'COMPLETED');

    const operators = [
      ...logLines,
      ...textsIn(await workflowOf(service, id).fetchHistory()),
      ...textsIn((await workflowOf(service, id).describe()).raw),
    ];
    expect(operators.some((text) => text.includes(id))).toBe(true);
    const paths = ['', `/${endpoint.id}`, `/${endpoint.id}/deliveries`].map((path) => `/v1/webhooks${path}`);
    const answers = await Promise.all(
      [...paths, `/v1/deliveries/${id}`].map(async (path) =>
        JSON.stringify((await project.api('GET', path)).body),
      ),
    );
    for (const secret of [endpoint.secret, rotated.secret as string]) {
      expect([...operators, ...answers].filter((text) => text.includes(secret))).toEqual([]);
    }
    // The URL's query, the state and the name of the example.
    for (const hidden of ['very-private', 'af0ifjsldkj', 'Anna']) {
      expect(operators.filter((text) => text.includes(hidden))).toEqual([]);
    }
  });

  /** Every text in a tree of protobuf messages, payloads decoded. */
  function textsIn(value: unknown): string[] {
    if (typeof value === 'string') return [value];
    if (value instanceof Uint8Array) return [Buffer.from(value).toString('utf8')];
    if (typeof value !== 'object' || value === null) return [];
    return Object.values(value).flatMap(textsIn);
  }
}
