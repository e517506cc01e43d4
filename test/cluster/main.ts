import { parseArgs } from 'node:util';
import { createPool } from '../../src/base/db/pool';
import { table } from '../../src/process/cli/output';
import type { FaultTime, Invariant } from '../chaos/invariants';
import { startLoad } from '../chaos/load';
import { seeded } from '../chaos/random';
import { startTicketLoad } from '../chaos/ticket-load';
import { judge, summaryOf } from '../chaos/run';
import { startCluster, type ClusterFixture, type ClusterOptions } from './fixture';
import { killEachPart } from './kills';
import { slowDown } from './pressure';
import { rollEachPart } from './rolling';

const scenarios = ['kills', 'rolling', 'pressure'] as const;
type Scenario = (typeof scenarios)[number];

/** Of each of two publishers of the load beside the scenario. */
const EVENT_PAUSE_MS: Record<Scenario, number> = {
  kills: 250,
  rolling: 250,
  // There the bulk project is what is too much; the others must ask for less than two cores deliver, or nothing ever drains.
  pressure: 1_000,
};

/** What an interruption has to stop. */
let cluster: Promise<ClusterFixture> | undefined;

/**
 * `npm run test:cluster -- [--postgres 15|18] [--only kills,rolling,pressure] [--temporal development]`: the production shape, hurt
 * on purpose. `--temporal development` uses the development server instead of a cluster.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { postgres: { type: 'string' }, only: { type: 'string' }, temporal: { type: 'string' } },
  });
  const versions = values.postgres ? [values.postgres] : ['15', '18'];
  const temporal = values.temporal === 'development' ? 'development' : 'cluster';
  const chosen = scenarios.filter((name) => values.only?.split(',').includes(name) ?? true);
  const started = Date.now();
  const progress = (message: string) => {
    const at = ((Date.now() - started) / 1000).toFixed(1).padStart(7);
    process.stderr.write(`${at} s  ${message}\n`);
  };
  let failed = false;
  for (const version of versions) {
    for (const scenario of chosen) {
      progress(`${scenario}, PostgreSQL ${version}`);
      const invariants = await run(scenario, { postgres: version, temporal, onProgress: progress });
      failed ||= invariants.some(({ holds }) => !holds);
      const rows = invariants.map(({ invariant, holds, detail }) => [
        holds ? 'holds' : 'BROKEN',
        invariant,
        detail,
      ]);
      process.stdout.write(`${table([`${scenario}, ${version}`, 'invariant', 'seen'], rows)}\n`);
    }
  }
  process.exitCode = failed ? 1 : 0;
}

async function run(scenario: Scenario, options: ClusterOptions): Promise<Invariant[]> {
  const { onProgress } = options;
  cluster = startCluster(options);
  const fixture = await cluster;
  const pool = createPool({ url: fixture.databaseUrl, max: 2 });
  try {
    const eventPauseMs = EVENT_PAUSE_MS[scenario];
    const load = await startLoad(fixture, seeded(35), { users: 2, eventPauseMs, domains: pool });
    const tickets = startTicketLoad(fixture, seeded(36));
    try {
      let faults: FaultTime[] = [];
      let own: Invariant[] = [];
      if (scenario === 'kills') faults = await killEachPart(fixture, onProgress);
      if (scenario === 'rolling') own = await rollEachPart(fixture, load, onProgress);
      if (scenario === 'pressure') own = await slowDown(fixture, load, pool, onProgress);
      onProgress('waiting until everything has settled');
      await Promise.all([load.stop(), tickets.stop()]);
      const { waited, invariants } = await judge(fixture, load, tickets.seen, faults);
      onProgress(
        `settled after ${Math.round(waited / 1000)} s: ${JSON.stringify(summaryOf(load.seen, tickets.seen))}`,
      );
      const all = [...own, ...invariants];
      if (all.some(({ holds }) => !holds)) process.stderr.write(`${fixture.logs()}\n`);
      return all;
    } finally {
      await load.close();
    }
  } finally {
    await pool.end();
    await fixture.stop();
  }
}

for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => {
    void Promise.resolve(cluster)
      .then((fixture) => fixture?.stop())
      .finally(() => process.exit(exitCode));
  });
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
