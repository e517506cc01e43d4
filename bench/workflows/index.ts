import {
  condition,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  proxySinks,
  setHandler,
  type Sinks,
} from '@temporalio/workflow';

/** The baseline of the benchmarks: a workflow with a single activity that POSTs. */
interface BareActivities {
  post(id: string): Promise<void>;
  act(id: string): Promise<void>;
}

const options = { startToCloseTimeout: '25 seconds', retry: { maximumAttempts: 1 } } as const;
const ordinary = proxyActivities<BareActivities>(options);
const local = proxyLocalActivities<BareActivities>(options);

export const pokeSignal = defineSignal('poke');

export async function bareWithActivity(id: string): Promise<void> {
  await ordinary.post(id);
}

/** What complete logins are compared with: two signals, each with a timer before it and a local activity after it. */
export async function bareLogin(id: string): Promise<void> {
  let pokes = 0;
  setHandler(pokeSignal, () => void (pokes += 1));
  for (const wanted of [1, 2]) {
    await condition(() => pokes >= wanted, '5 minutes');
    await local.act(id);
  }
}

interface BenchSinks extends Sinks {
  bench: { begun(): void };
}

const { bench } = proxySinks<BenchSinks>();

/** What session creation is compared with: a workflow that waits for a signal. */
export async function bareWaiting(): Promise<void> {
  let poked = false;
  setHandler(pokeSignal, () => void (poked = true));
  bench.begun();
  await condition(() => poked);
}
