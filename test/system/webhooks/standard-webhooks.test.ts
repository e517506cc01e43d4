import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { sign } from '../../../src/domains/webhooks/signature';
import { isValidWebhook as isValid } from '../../../sdk/typescript/src';
import { pythonForStandardWebhooks } from '../../support/python';
import type { ReceivedRequest } from '../../support/receiver';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import {
  createEndpoint,
  emitOne,
  scriptedReceiver,
  untilStatus,
  type CreatedEndpoint,
  type ScriptedReceiver,
} from './fixture';

/** Attempts of a real service, judged by verifiers of other authors. */
let service: Installation;
let project: TestProject;
let receiver: ScriptedReceiver;
let endpoint: CreatedEndpoint;

beforeAll(async () => {
  service = await useService();
  project = await service.createProject();
  receiver = await scriptedReceiver(200);
  endpoint = await createEndpoint(project, receiver.url, { delivery_lane: 'express' });
});
afterAll(async () => {
  await receiver?.close();
  await service?.stop();
});

async function deliver(): Promise<ReceivedRequest> {
  const id = await emitOne(service, project, endpoint.id);
  await untilStatus(project, id, 'succeeded');
  return receiver.of(id)[0]!;
}

async function rotate(): Promise<string> {
  const { body } = await project.api('POST', `/v1/webhooks/${endpoint.id}/rotate-secret`);
  return body.secret as string;
}

function standardHeaders({ headers }: ReceivedRequest): Record<string, string> {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  return Object.fromEntries(names.map((name) => [name, String(headers[name])]));
}

function acceptedByLibrary(request: ReceivedRequest, secret: string): boolean {
  try {
    new Webhook(secret).verify(request.body.toString(), standardHeaders(request));
    return true;
  } catch {
    return false;
  }
}

/** By Stripe's library, whose scheme X-Service-Signature has. */
function acceptedByStripe({ headers, body }: ReceivedRequest, secret: string): boolean {
  try {
    Stripe.webhooks.constructEvent(body, String(headers['x-service-signature']), secret);
    return true;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
    throw error;
  }
}

interface Judged {
  request: ReceivedRequest;
  accepted: string[];
  refused: string[];
}
const judged: Judged[] = [];

/** Before, during and after a rotation. */
beforeAll(async () => {
  const stranger = `whsec_${randomBytes(32).toString('base64')}`;
  const first = endpoint.secret;
  judged.push({ request: await deliver(), accepted: [first], refused: [stranger] });
  const second = await rotate();
  judged.push({ request: await deliver(), accepted: [first, second], refused: [stranger] });
  await service.pool.query('UPDATE endpoint_secrets SET expires_at = now() WHERE expires_at IS NOT NULL');
  judged.push({ request: await deliver(), accepted: [second], refused: [first, stranger] });
});

const verdicts = (accepts: (request: ReceivedRequest, secret: string) => boolean) =>
  judged.map(({ request, accepted, refused }) => ({
    accepted: accepted.map((secret) => accepts(request, secret)),
    refused: refused.map((secret) => accepts(request, secret)),
  }));
const right = () =>
  judged.map(({ accepted, refused }) => ({
    accepted: accepted.map(() => true),
    refused: refused.map(() => false),
  }));

test('every attempt names its delivery and one time in both families of headers', () => {
  for (const { request } of judged) {
    expect(request.headers['webhook-id']).toBe(request.headers['x-service-delivery-id']);
    expect(request.headers['webhook-timestamp']).toBe(request.headers['x-service-timestamp']);
  }
  expect(judged.map(({ request }) => String(request.headers['webhook-signature']).split(' ').length)).toEqual(
    [1, 2, 1],
  );
});

test('the official library for JavaScript accepts each, by each secret that signs', () => {
  expect(verdicts(acceptedByLibrary)).toEqual(right());
});

test("Stripe's library accepts X-Service-Signature of each, and a changed body or an old time not", () => {
  expect(verdicts(acceptedByStripe)).toEqual(right());
  const { request, accepted } = judged[0]!;
  const secret = accepted[0]!;
  expect(acceptedByStripe({ ...request, body: Buffer.from(`${String(request.body)} `) }, secret)).toBe(false);
  const atTime = (seconds: number) => ({
    ...request,
    headers: { 'x-service-signature': sign(request.body, [secret], seconds) },
  });
  const now = Math.floor(Date.now() / 1_000);
  expect(acceptedByStripe(atTime(now), secret)).toBe(true);
  expect(acceptedByStripe(atTime(now - 301), secret)).toBe(false);
});

test('the SDK accepts each in both families', () => {
  expect(verdicts(({ headers, body }, secret) => isValid(body, headers, secret))).toEqual(right());
  expect(verdicts((request, secret) => isValid(request.body, standardHeaders(request), secret))).toEqual(
    right(),
  );
});

const python = pythonForStandardWebhooks();
// The list follows what this machine has, as for the examples of receivers; the name of the test says what it was.
for (const { command, verifier } of python ? [python] : []) {
  test(`Python accepts each, by the verifier "${verifier}"`, () => {
    const script = join(__dirname, '../../support/python/verify_standard_webhooks.py');
    const ask = (request: ReceivedRequest, secrets: string[]): boolean[] => {
      const input = secrets.map((secret) => ({
        secret: secret,
        headers: standardHeaders(request),
        body: request.body.toString(),
      }));
      const output = execFileSync(command, ['-X', 'utf8', script, verifier], {
        input: JSON.stringify(input),
        encoding: 'utf8',
      });
      return JSON.parse(output) as boolean[];
    };
    const answers = judged.map(({ request, accepted, refused }) => ({
      accepted: ask(request, accepted),
      refused: ask(request, refused),
    }));
    expect(answers).toEqual(right());
  });
}
