import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startBench } from './environment';
import type { Figure } from './table';

/** Work that follows a start has ended by then. */
const SETTLE_MS = 15_000;
const SECONDS = 30;
const GOAL_PER_SECOND = 8;

/** The statements a second that an idle service sends to its database, by name. */
export async function benchIdle(): Promise<Figure[]> {
  return [
    await measureIdle('the whole service', {}),
    await measureIdle('a worker', { HERALD_ROLES: 'worker' }),
  ];
}

async function measureIdle(name: string, env: Record<string, string>): Promise<Figure> {
  const bench = await startBench({ HERALD_LOG_LEVEL: 'error', ...env });
  try {
    await sleep(SETTLE_MS);
    const counter = countStatements();
    await sleep(1_000 * SECONDS);
    const counts = counter.stop();
    const total = counts.reduce((sum, [, count]) => sum + count, 0) / SECONDS;
    for (const [statement, count] of counts) {
      process.stderr.write(`  ${(count / SECONDS).toFixed(2).padStart(6)}/s  ${statement}\n`);
    }
    return {
      name: `${name}, idle: statements per second`,
      value: `${total.toFixed(1)} (${counts.length} different)`,
      baseline: `goal ${GOAL_PER_SECOND}`,
      ratio: total / GOAL_PER_SECOND,
      target: 1,
      atMost: true,
    };
  } finally {
    await bench.stop();
  }
}

/** Of every connection of this process, those of transactions (BEGIN, COMMIT) as well. */
function countStatements() {
  const counts = new Map<string, number>();
  const prototype = pg.Client.prototype as { query: (...args: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function counted(...args) {
    const [first] = args as [string | { name?: string; text?: string }];
    const statement = typeof first === 'string' ? first : (first.name ?? first.text ?? '');
    counts.set(statement.slice(0, 60), (counts.get(statement.slice(0, 60)) ?? 0) + 1);
    return query.apply(this, args);
  };
  return {
    stop() {
      prototype.query = query;
      return [...counts].sort(([, a], [, b]) => b - a);
    },
  };
}
