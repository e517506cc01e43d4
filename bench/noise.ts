import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { emitTestEvent } from '../src/events/queries/emit';
import { createPool } from '../src/db/pool';
import { event, example } from './herald';

/** What another project does, from a process of its own: it must not take the thread of the one that is measured. */
export interface NoisePlan {
  databaseUrl: string;
  endpoint: { id: string; project_id: string };
  perSecond: number;
}

export interface Noise {
  stop(): Promise<void>;
}

export function startNoise(plan: NoisePlan): Noise {
  const child = fork(__filename);
  child.send(plan);
  const ended = once(child, 'exit');
  return {
    async stop() {
      if (child.connected) child.disconnect();
      const [code] = (await ended) as [number | null];
      // Beside a noise that had died, everybody would have been alone.
      if (code !== 0) throw new Error(`the noise has ended with ${code}`);
    },
  };
}

async function make({ databaseUrl, endpoint, perSecond }: NoisePlan): Promise<void> {
  const pool = createPool({ url: databaseUrl, max: 1 });
  const began = performance.now();
  for (let count = 0; process.connected; count += 1) {
    // Somewhere in its turn: at the same place in each, it would always meet the one that is measured, or never.
    const turn = began + ((count + Math.random()) * 1000) / perSecond;
    await sleep(Math.max(0, turn - performance.now()));
    await emitTestEvent(pool, endpoint, event, example);
  }
  await pool.end();
}

if (require.main === module) process.once('message', (plan) => void make(plan as NoisePlan));
