import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryLane } from '../src/domains/webhooks/contract';
import type { BenchEnvironment } from './environment';
import { createHeraldEndpoint } from './herald';
import { startNoise } from './noise';
import { percentile } from './numbers';
import { measureLatency, type Begin } from './pace';
import type { BenchReceiver } from './receiver';
import type { Figure } from './table';

const ROUNDS = 2;
const PER_SECOND = 10;
const BESIDE_SECONDS = 40;
const ALONE_SECONDS = 20;
/** From commit to receipt in the workflow lane, on a machine that is otherwise idle. */
const GOAL_MS = 150;

/**
 * The same pace alone, and while another project's receiver never responds. Each round beside it runs between two rounds
 * alone, because the speed of a shared machine changes from minute to minute. Every delivery counts.
 */
export async function besideHanging(
  bench: BenchEnvironment,
  receiver: BenchReceiver,
  begin: Begin,
  lane: DeliveryLane,
): Promise<Figure[]> {
  const measure = async (seconds: number) =>
    (await measureLatency(receiver, begin, { perSecond: PER_SECOND, seconds })).waits;
  const alone = [await measure(ALONE_SECONDS)];
  const beside: number[][] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    process.stderr.write(`  beside a hanging endpoint, round ${round} of ${ROUNDS}\n`);
    const noise = await makeNoise(bench, `${lane}-hanging-${round}`, `${receiver.url}/hang`);
    beside.push(await measure(BESIDE_SECONDS));
    await noise.stop();
    alone.push(await measure(ALONE_SECONDS));
  }
  const compare = (share: number): Figure => {
    const [value, baseline] = [percentileOfAll(beside, share), percentileOfAll(alone, share)];
    const rounds = beside.map((waits, round) => {
      const around = alone.slice(round, round + 2);
      return (percentileOfAll([waits], share) / percentileOfAll(around, share)).toFixed(2);
    });
    return {
      name: `${lane} lane, p${share * 100} at ${PER_SECOND}/s beside an endpoint that hangs on ${PER_SECOND}/s (${rounds.join(', ')})`,
      value: `${value.toFixed(1)} ms`,
      baseline: `alone ${baseline.toFixed(1)} ms`,
      ratio: value / baseline,
      ...(share === 0.99 ? { target: 2, atMost: true } : {}),
    };
  };
  const p99 = percentileOfAll(alone, 0.99);
  const goal: Figure = {
    name: `${lane} lane, p99 at ${PER_SECOND}/s alone`,
    value: `${p99.toFixed(0)} ms`,
    baseline: `goal ${GOAL_MS} ms`,
    ratio: p99 / GOAL_MS,
    target: 1,
    atMost: true,
  };
  return [...(lane === 'workflow' ? [goal] : []), compare(0.5), compare(0.99)];
}

function percentileOfAll(waits: number[][], share: number): number {
  return percentile(
    waits.flat().sort((a, b) => a - b),
    share,
  );
}

/** As many deliveries a second to an endpoint that never answers. */
async function makeNoise(bench: BenchEnvironment, slug: string, url: string) {
  const hanging = await createHeraldEndpoint(bench, slug, url);
  const { databaseUrl } = bench.environment;
  const noise = startNoise({ databaseUrl, endpoint: hanging, perSecond: PER_SECOND });
  // Its first timeouts come after ten seconds, and retries after 30 more.
  await sleep(2_000);
  return {
    async stop() {
      await noise.stop();
      await hanging.remove();
      // Its attempts in flight end, and its workflows.
      await sleep(12_000);
    },
  };
}
