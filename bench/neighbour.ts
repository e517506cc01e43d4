import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryLane } from '../src/contracts/webhooks';
import type { BenchEnvironment } from './environment';
import { createHeraldEndpoint } from './herald';
import { startNoise } from './noise';
import { median, percentile } from './numbers';
import { measureLatency, type Begin } from './pace';
import type { BenchReceiver } from './receiver';
import type { Figure } from './table';

const ROUNDS = 3;
const PER_SECOND = 10;
const BESIDE_SECONDS = 90;
const ALONE_SECONDS = 45;
/** From commit to receipt in the workflow lane, on a machine that is otherwise idle. */
const GOAL_MS = 150;

/**
 * The same pace alone, and while another project's receiver answers nothing at all. Each time beside it stands between
 * two times alone, because the speed of a shared machine changes from minute to minute; the round in the middle counts.
 */
export async function besideHanging(
  bench: BenchEnvironment,
  receiver: BenchReceiver,
  begin: Begin,
  lane: DeliveryLane,
): Promise<Figure[]> {
  const waits = async (seconds: number) =>
    (await measureLatency(receiver, begin, { perSecond: PER_SECOND, seconds })).waits;
  const rounds: { alone: number[]; beside: number[] }[] = [];
  let before = await waits(ALONE_SECONDS);
  for (let round = 1; round <= ROUNDS; round += 1) {
    process.stderr.write(`  beside a hanging endpoint, round ${round} of ${ROUNDS}\n`);
    const noise = await makeNoise(bench, lane, `${lane}-hanging-${round}`, `${receiver.url}/hang`);
    const beside = await waits(BESIDE_SECONDS);
    await noise.stop();
    const after = await waits(ALONE_SECONDS);
    rounds.push({ alone: [...before, ...after].sort((a, b) => a - b), beside });
    before = after;
  }
  const compare = (share: number): Figure => {
    const all = rounds.map(({ alone, beside }) => ({
      alone: percentile(alone, share),
      beside: percentile(beside, share),
    }));
    const { alone, beside } = median(all, (round) => round.beside / round.alone);
    const ratios = all.map((round) => (round.beside / round.alone).toFixed(2)).join(', ');
    return {
      name: `${lane} lane, p${share * 100} at ${PER_SECOND}/s beside an endpoint that hangs on ${PER_SECOND}/s (${ratios})`,
      value: `${beside.toFixed(1)} ms`,
      baseline: `alone ${alone.toFixed(1)} ms`,
      ratio: beside / alone,
      target: 1.2,
      atMost: true,
    };
  };
  const alone = median(
    rounds.map((round) => percentile(round.alone, 0.99)),
    (p99) => p99,
  );
  const goal: Figure = {
    name: `${lane} lane, p99 at ${PER_SECOND}/s alone`,
    value: `${alone.toFixed(0)} ms`,
    baseline: `goal ${GOAL_MS} ms`,
    ratio: alone / GOAL_MS,
    target: 1,
    atMost: true,
  };
  return [...(lane === 'workflow' ? [goal] : []), compare(0.5), compare(0.99)];
}

/** As many deliveries a second to an endpoint that never answers. */
async function makeNoise(bench: BenchEnvironment, lane: DeliveryLane, slug: string, url: string) {
  const hanging = await createHeraldEndpoint(bench, slug, url);
  const { databaseUrl } = bench.environment;
  const noise = startNoise({ databaseUrl, lane, endpoint: hanging, perSecond: PER_SECOND });
  // Its first time-outs come after ten seconds, and its retries within the 90.
  await sleep(2_000);
  return {
    async stop() {
      await noise.stop();
      await hanging.remove();
      // Its attempts under way end, and its workflows.
      await sleep(12_000);
    },
  };
}
