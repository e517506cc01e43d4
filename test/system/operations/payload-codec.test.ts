import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { HistoryAndWorkflowId } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { buildWorkflowBundle } from '../../../src/temporal/bundle';
import { createDataConverter } from '../../../src/temporal/data-converter';
import { workflowIds } from '../../../src/temporal/names';
import { createPayloadCodec, isSealed } from '../../../src/temporal/payload-codec';
import { confirmedSession } from '../login/fixture';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import {
  createEndpoint,
  emitOne,
  scriptedReceiver,
  untilAttempts,
  untilStatus,
  untilWorkflow,
  workflowOf,
  type ScriptedReceiver,
} from '../webhooks/fixture';

jest.setTimeout(120_000);

const [oldKey, newKey] = [1, 2].map((byte) => ({ id: `p${byte}`, key: Buffer.alloc(32, byte) }));
const settingOf = (...keys: (typeof oldKey)[]) =>
  keys.map((each) => `${each!.id}:${each!.key.toString('base64')}`).join(',');

let directory: string;
let bundlePath: string;
let service: TestService;
let project: TestProject;
let receiver: ScriptedReceiver;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'herald-sealed-'));
  bundlePath = path.join(directory, 'sealed.js');
  await buildWorkflowBundle(bundlePath, { sealed: true });
  service = await startTestService({ bundlePath, env: { HERALD_PAYLOAD_KEYS: settingOf(oldKey) } });
  project = await service.createProject();
  receiver = await scriptedReceiver();
});
afterAll(async () => {
  await service?.stop();
  await receiver?.close();
  await rm(directory, { recursive: true, force: true });
});

/**
 * Every payload in a record of Temporal, except search attributes, which the server itself has to read, and what the
 * SDK's core records by itself: the names of patches, and the number, times and kind of a local activity.
 */
function payloadsIn(record: unknown): Payload[] {
  if (typeof record !== 'object' || record === null || record instanceof Uint8Array) return [];
  const marker = 'markerName' in record ? record.markerName : null;
  if (marker === 'core_patch') return [];
  if (marker === 'core_local_activity') {
    return payloadsIn((record as unknown as { details: { result?: unknown } }).details.result);
  }
  const entries = Object.entries(record).filter(([name]) => name !== 'searchAttributes');
  if ('metadata' in record && 'data' in record && record.metadata) return [record as Payload];
  return entries.flatMap(([, value]) => payloadsIn(value));
}

async function historyOf(workflowId: string): Promise<HistoryAndWorkflowId> {
  return { workflowId, history: await service.client.workflow.getHandle(workflowId).fetchHistory() };
}

function keyIds(payloads: Payload[]): string[] {
  return payloads.map(({ metadata }) => Buffer.from(metadata?.['encryption-key-id'] ?? []).toString());
}

test('with payload keys a login and a delivery work, and no payload or failure in Temporal is readable', async () => {
  const { session, status } = await confirmedSession(service, project, 'codec-login');
  expect((await project.api('POST', '/v1/auth/verify', { code: status.code })).status).toBe(200);
  const endpoint = await createEndpoint(project, receiver.url, { delivery_lane: 'workflow' });
  const good = await emitOne(service, project, endpoint.id);
  await untilStatus(project, good, 'succeeded');
  receiver.behave(404);
  const refused = await emitOne(service, project, endpoint.id);
  await untilWorkflow(service, refused, 'FAILED');

  const ids = [workflowIds.authSession(session.session_id), ...[good, refused].map(workflowIds.delivery)];
  for (const id of ids) {
    const { history } = await historyOf(id);
    const payloads = payloadsIn(history);
    expect(payloads.length).toBeGreaterThan(2);
    expect(payloads.every(isSealed)).toBe(true);
    expect(JSON.stringify(history)).not.toContain('The receiver refused it');
  }
  // A client with the keys reads the failure.
  await expect(workflowOf(service, refused).result()).rejects.toMatchObject({
    cause: { message: 'The receiver refused it (status 404).', type: 'delivery.refused' },
  });
});

test('after a rotation running deliveries continue, old histories open, and new payloads have the new key', async () => {
  receiver.behave(500);
  const endpoint = await createEndpoint(project, receiver.url, { delivery_lane: 'workflow' });
  const begun = await emitOne(service, project, endpoint.id);
  await untilAttempts(project, begun, 1);

  const before = service;
  const rotated = await startTestService({
    bundlePath,
    env: { HERALD_PAYLOAD_KEYS: settingOf(newKey, oldKey) },
    database: before.database,
    simulator: before.simulator,
    queuePrefix: before.queuePrefix,
  });
  await before.service.stop();
  // From here on the first service's stop only removes what both share.
  service = { ...rotated, stop: () => rotated.stop().then(before.stop) };
  receiver.behave(200);
  await rotated.apiWith(project.api_key)('POST', `/v1/deliveries/${begun}/retry`);
  project = { ...project, api: rotated.apiWith(project.api_key) };
  await untilStatus(project, begun, 'succeeded');
  await untilWorkflow(service, begun, 'COMPLETED');

  const { history } = await historyOf(workflowIds.delivery(begun));
  const used = new Set(keyIds(payloadsIn(history)));
  expect([...used].sort()).toEqual(['p1', 'p2']);

  const replays = Worker.runReplayHistories(
    {
      workflowBundle: { codePath: bundlePath },
      dataConverter: createDataConverter([newKey!, oldKey!]),
    },
    [await historyOf(workflowIds.delivery(begun))],
  );
  for await (const result of replays) expect(result.error).toBeUndefined();
});

test('an unsealed payload passes; one sealed with a removed key names the missing key', async () => {
  const plain = defaultPayloadConverter.toPayload({ deliveryId: 'd' })!;
  const old = createPayloadCodec([oldKey!]);
  const current = createPayloadCodec([newKey!]);
  expect(await current.decode([plain])).toEqual([plain]);
  const [sealed] = await old.encode([plain]);
  const [opened] = await createPayloadCodec([newKey!, oldKey!]).decode([sealed!]);
  expect(defaultPayloadConverter.fromPayload(opened!)).toEqual({ deliveryId: 'd' });
  await expect(current.decode([sealed!])).rejects.toThrow('HERALD_PAYLOAD_KEYS has no key with the id "p1"');
  const changed = { ...sealed!, data: Buffer.from(sealed!.data!).fill(0, 12, 14) };
  await expect(old.decode([changed])).rejects.toThrow();
});
