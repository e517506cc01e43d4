import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';

/** The clock of one process, which can be wrong; time that has passed stays right, as when a machine's clock is set. */
export interface Clock {
  /** Environment for the process. */
  env: Record<string, string>;
  set(seconds: number): Promise<void>;
}

const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

export async function createClock(file: string): Promise<Clock> {
  if (!existsSync(LIBRARY)) throw new Error('there is no libfaketime: apt-get install libfaketime');
  const set = (seconds: number) => writeFile(file, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}s\n`);
  await set(0);
  return {
    env: {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
  };
}
