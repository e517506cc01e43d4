import { startBench } from './environment';
import { percentile } from './numbers';
import { createPublisher } from './publish';
import { startBenchReceiver } from './receiver';
import type { Figure } from './table';
import { measureWaits, PER_SECOND, singlePublisher } from './waits';

const lanes = ['express', 'auto', 'workflow'] as const;
const ROUNDS = 3;
const SECONDS = 8;

/** From the request to the receipt at 25 events a second, in each lane, in turns. */
export async function benchLanes(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_LOG_LEVEL: 'error' });
  const receiver = await startBenchReceiver();
  try {
    const measured = [];
    for (const lane of lanes) {
      const publisher = await createPublisher(bench, receiver, { slug: `lane-${lane}`, endpoints: 1, lane });
      measured.push({ lane, waits: [] as number[], ...singlePublisher(bench, publisher) });
    }
    // The first round only warms up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const { lane, waits, send, ids } of measured) {
        const run = { name: `${lane}-${round}`, send, ids, seconds: SECONDS };
        const found = await measureWaits(receiver, run);
        if (round > 0) waits.push(...found);
      }
    }
    const sorted = measured.map(({ lane, waits }) => ({ lane, waits: waits.sort((a, b) => a - b) }));
    return [0.5, 0.99].flatMap((share) => {
      const express = percentile(sorted[0]?.waits ?? [], share);
      return sorted.map(({ lane, waits }): Figure => ({
        name: `published at ${PER_SECOND}/s, lane ${lane}: p${share * 100}`,
        value: `${percentile(waits, share).toFixed(1)} ms`,
        baseline: `express ${express.toFixed(1)} ms`,
        ratio: percentile(waits, share) / express,
      }));
    });
  } finally {
    await receiver.stop();
    await bench.stop();
  }
}
