import type http from 'node:http';
import { limits } from '../../../../src/contract/limits';
import { eventually } from '../../../support/eventually';
import { startTestService, type Lane, type TestService } from '../../../support/service';
import { createEndpoint, emitExample, emitOne, scriptedReceiver } from '../fixture';

const ROUNDS = 3;
const SAMPLES = 20;
/** What a busy machine may add to a sample; waiting for a hanging receiver would take seconds. */
const NOISE_MS = 100;
const { webhookConcurrencyPerEndpoint: cap } = limits;

/** What an endpoint that hangs costs the others. */
export function neighbours(lane: Lane): void {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ lane, roles: 'api,worker' });
  });
  afterAll(() => service?.stop());

  test('the latency of an endpoint beside one that hangs is its latency alone, and the hanging one gets no more than its share', async () => {
    const held: http.ServerResponse[] = [];
    let most = 0;
    const hanging = await scriptedReceiver();
    const hang = () =>
      hanging.behave((res) => {
        held.push(res);
        most = Math.max(most, held.length);
        res.on('close', () => void held.splice(held.indexOf(res), 1));
      });
    const arrivals = new Map<string, number>();
    const fine = await scriptedReceiver((res, { headers }) => {
      arrivals.set(String(headers['x-service-delivery-id']), performance.now());
      res.end();
    });
    const project = await service.createProject();
    const neighbour = await service.createProject();
    const endpoint = await createEndpoint(neighbour, fine.url);

    /** Milliseconds from the event to its arrival, one event after another. */
    async function latencies(): Promise<number[]> {
      const measured: number[] = [];
      for (let i = 0; i < SAMPLES; i += 1) {
        const emitted = performance.now();
        const id = await emitOne(service, neighbour, endpoint.id);
        measured.push((await eventually(() => arrivals.get(id))) - emitted);
      }
      return measured;
    }

    try {
      await latencies();
      // In turns, so that whatever else the machine does falls on both sides.
      const [alone, beside]: [number[], number[]] = [[], []];
      for (let round = 0; round < ROUNDS; round += 1) {
        alone.push(...(await latencies()));
        hang();
        const stuck = await createEndpoint(project, hanging.url);
        for (let i = 0; i < cap + 10; i += 1) await emitExample(service, project);
        await eventually(() => held.length > 0);
        beside.push(...(await latencies()));
        // Attempts that have timed out meanwhile are followed by others.
        await eventually(() => held.length > 0);
        hanging.behave(200);
        // Cancels what waits, so that the next round begins with an idle machine.
        await project.api('DELETE', `/v1/webhooks/${stuck.id}`);
        await eventually(() => {
          for (const res of held) res.end();
          return held.length === 0;
        });
      }
      expect(most).toBeLessThanOrEqual(cap);
      expect(percentile(beside, 0.5)).toBeLessThan(3 * percentile(alone, 0.5) + NOISE_MS);
      expect(percentile(beside, 0.95)).toBeLessThan(10 * percentile(alone, 0.95) + NOISE_MS);
    } finally {
      await hanging.close();
      await fine.close();
    }
  });
}

function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))]!;
}
