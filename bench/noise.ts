import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool } from '../src/base/db/pool';
import { emitTestEvent } from '../src/domains/events';
import { registerDomains } from '../src/process/roles/domains';
import { event, example } from './herald';

/** The load of another project, generated in its own process so that it does not use the measured process's thread. */
export interface NoiseOptions {
  databaseUrl: string;
  endpoint: { id: string; project_id: string };
  perSecond: number;
}

export interface Noise {
  stop(): Promise<void>;
}

export function startNoise(options: NoiseOptions): Noise {
  const child = fork(__filename);
  child.send(options);
  const ended = once(child, 'exit');
  return {
    async stop() {
      if (child.connected) child.disconnect();
      const [code] = (await ended) as [number | null];
      // If the generator died, the measurement had no load beside it.
      if (code !== 0) throw new Error(`the load generator of the other project exited with ${code}`);
    },
  };
}

async function generate({ databaseUrl, endpoint, perSecond }: NoiseOptions): Promise<void> {
  registerDomains();
  const pool = createPool({ url: databaseUrl, max: 1 });
  const began = performance.now();
  for (let count = 0; process.connected; count += 1) {
    // With jitter: a fixed interval would always, or never, coincide with the measured deliveries.
    const sendAt = began + ((count + Math.random()) * 1000) / perSecond;
    await sleep(Math.max(0, sendAt - performance.now()));
    await emitTestEvent(pool, endpoint, event, example);
  }
  await pool.end();
}

if (require.main === module) process.once('message', (options) => void generate(options as NoiseOptions));
