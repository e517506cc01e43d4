import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { confirmedSession } from '../login/fixture';
import { eventually } from '../../support/eventually';
import { createApi } from '../../support/api';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { startSecondProcess, type HeraldProcess } from '../../support/herald-process';
import { stablePort } from '../../support/stable-port';
import {
  createEndpoint,
  emitOne,
  scriptedReceiver,
  untilStatus,
  workflowOf,
  type ScriptedReceiver,
} from '../webhooks/fixture';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  service: string;
}

/** A collector that takes OTLP over HTTP and keeps the spans. */
async function startCollector() {
  const spans: Span[] = [];
  const server = http.createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as {
        resourceSpans: { resource: { attributes: Span['attributes'] }; scopeSpans: { spans: Span[] }[] }[];
      };
      for (const { resource, scopeSpans } of resourceSpans) {
        const service = String(valueOf({ attributes: resource.attributes }, 'service.name'));
        spans.push(...scopeSpans.flatMap((scope) => scope.spans).map((span) => ({ ...span, service })));
      }
      res.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    stop: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

function valueOf({ attributes }: Pick<Span, 'attributes'>, key: string): unknown {
  return Object.values(attributes.find((attribute) => attribute.key === key)?.value ?? {})[0];
}

jest.setTimeout(120_000);

let collector: Awaited<ReturnType<typeof startCollector>>;
let service: TestService;
let receiver: ScriptedReceiver;
let herald: HeraldProcess;
let apiUrl: string;
beforeAll(async () => {
  receiver = await scriptedReceiver(200);
  collector = await startCollector();
  // Its own: tracing is a setting of its process.
  service = await startTestService({ roles: 'bots' });
});
afterAll(async () => {
  await herald?.stop();
  await service?.stop();
  await collector.stop();
  await receiver.close();
});

/** The API and the worker in a process of their own, which reads the variables as any process does. */
async function startHerald(env: Record<string, string>): Promise<void> {
  await herald?.stop();
  const port = await stablePort();
  apiUrl = `http://127.0.0.1:${port}`;
  herald = await startSecondProcess(service, 'api,worker', {
    PORT: String(port),
    HERALD_LOG_LEVEL: 'info',
    HERALD_LOG_FORMAT: 'json',
    ...env,
  });
}

async function createProject(): Promise<TestProject> {
  const project = await service.createProject();
  return { ...project, api: createApi(apiUrl, project.api_key) };
}

/** A login whose event is delivered: answers the ids by which operators know its parts. */
async function loginWithDelivery(user: string) {
  const project = await createProject();
  const endpoint = await createEndpoint(project, receiver.url, {
    events: ['auth.completed'],
    delivery_lane: 'workflow',
  });
  const { session } = await confirmedSession(service, project, user);
  const delivery = await eventually(async () => {
    const { body } = await project.api('GET', `/v1/webhooks/${endpoint.id}/deliveries`);
    return (body as { data: { id: string; status: string }[] }).data.find(
      (each) => each.status === 'succeeded',
    );
  });
  return { sessionId: session.session_id, deliveryId: delivery.id };
}

const lines = () =>
  herald.log
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('without the standard variables nothing is traced, stored or sent along', async () => {
  await startHerald({});
  const { sessionId, deliveryId } = await loginWithDelivery('untraced');
  const { rows } = await service.pool.query(
    'SELECT traceparent FROM events UNION ALL SELECT traceparent FROM auth_sessions',
  );
  expect(rows.every((row: { traceparent: string | null }) => row.traceparent === null)).toBe(true);
  expect(receiver.of(deliveryId)[0]?.headers).not.toHaveProperty('traceparent');
  expect(collector.spans).toEqual([]);
  // The lines of a request, its session and its delivery join all the same.
  const has = (msg: string, fields: Record<string, unknown>) =>
    eventually(() => {
      expect(lines().filter((line) => line['msg'] === msg)).toContainEqual(expect.objectContaining(fields));
      return true;
    });
  await has('request', {
    route: '/v1/auth/session',
    session_id: sessionId,
    request_id: expect.any(String),
  });
  await has('session settled', { session_id: sessionId, status: 'confirmed' });
  await has('attempt', { delivery_id: deliveryId });
  expect(lines().filter((line) => 'trace_id' in line)).toEqual([]);
});

test('with a collector one trace leads from the request over the session to the attempt', async () => {
  await startHerald({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '50' });
  const { sessionId, deliveryId } = await loginWithDelivery('traced');

  const find = (name: string, key: string, value: string) =>
    eventually(() => collector.spans.find((span) => span.name === name && valueOf(span, key) === value));
  const attempt = await find('attempt auth.completed', 'herald.delivery_id', deliveryId);
  const settle = await find('settle session', 'herald.session_id', sessionId);
  const request = await eventually(() => collector.spans.find((span) => span.spanId === settle.parentSpanId));
  expect(request.name).toBe('POST /v1/auth/session');
  expect(attempt.parentSpanId).toBe(settle.spanId);
  expect(new Set([request, settle, attempt].map((span) => span.traceId)).size).toBe(1);
  expect(request.service).toBe('herald');
  expect(valueOf(attempt, 'http.response.status_code')).toBe(200);

  // Log lines join by the trace as well; the receiver and Temporal learn nothing of it.
  await eventually(() => {
    const ofTrace = lines().filter((line) => line['trace_id'] === request.traceId);
    expect(ofTrace.map((line) => line['msg'])).toEqual(
      expect.arrayContaining(['request', 'session settled', 'attempt']),
    );
    return true;
  });
  expect(receiver.of(deliveryId)[0]?.headers).not.toHaveProperty('traceparent');
  const { events } = await workflowOf(service, deliveryId).fetchHistory();
  expect(events?.[0]?.workflowExecutionStartedEventAttributes?.header?.fields ?? {}).toEqual({});
});

test("a caller's own trace continues in the service and its webhook", async () => {
  const project = await createProject();
  const endpoint = await createEndpoint(project, receiver.url);
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  const { body } = await project.api('POST', `/v1/webhooks/${endpoint.id}/test`, {}, { traceparent });
  const attempt = await eventually(() =>
    collector.spans.find((span) => valueOf(span, 'herald.delivery_id') === body.delivery_id),
  );
  expect(attempt.traceId).toBe(traceId);
  const request = await eventually(() =>
    collector.spans.find((span) => span.spanId === attempt.parentSpanId),
  );
  expect(request.parentSpanId).toBe('b7ad6b7169203331');
});

test('spans carry no secret, name or address of a receiver', async () => {
  const project = await createProject();
  const endpoint = await createEndpoint(project, `${receiver.url}/private-path`);
  receiver.behave(404);
  const id = await emitOne(service, project, endpoint.id);
  await untilStatus(project, id, 'failed');
  await eventually(() => collector.spans.some((span) => valueOf(span, 'herald.delivery_id') === id));
  const everything = JSON.stringify(collector.spans);
  for (const secret of ['private-path', endpoint.secret, project.api_key, 'Anna']) {
    expect(everything).not.toContain(secret);
  }
});
