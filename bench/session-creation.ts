import { startBareStarts } from './bare-start';
import type { BenchEnvironment } from './environment';
import { runLoad, type LoadSide } from './load';
import { mean } from './numbers';
import type { Figure } from './table';

const ROUNDS = 4;
const LOAD = { concurrency: 32, seconds: 5 };

/**
 * `POST /v1/auth/session`, each with its workflow, beside a bare workflow start on the same server, in turns. The bare
 * side is not charged for the first tasks of its workflows: they are waited for between the turns.
 */
export async function measureSessionCreation(bench: BenchEnvironment): Promise<Figure[]> {
  const project = await bench.createProject('bench-creation');
  const bare = await startBareStarts(bench);
  const post = (url: string, path: string, body?: unknown): LoadSide => ({
    url,
    headers: { authorization: `Bearer ${project.api_key}` },
    requests: [{ method: 'POST', path, ...(body ? { body } : {}) }],
    repeat: true,
  });
  const sides = {
    bare: post(bare.url, '/start'),
    herald: post(bench.service.apiUrl ?? '', '/v1/auth/session', { state: 'bench' }),
  };
  const rates: Record<keyof typeof sides, number[]> = { bare: [], herald: [] };
  const waits: number[] = [];
  let refused = 0;
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const side of ['bare', 'herald'] as const) {
        process.stderr.write(`  creation, round ${round + 1}: ${side}\n`);
        const load = await runLoad(sides[side], LOAD);
        rates[side].push(load.perSecond);
        if (side === 'herald') waits.push(load.p99);
        refused += load.count - (load.byStatus[201] ?? 0);
        await bare.drained();
      }
    }
  } finally {
    await bare.stop();
  }
  const { rows } = await bench.service.core.pool.query<{ created: number; unstarted: number }>(
    `SELECT count(*)::int AS created, (count(*) FILTER (WHERE workflow_started_at IS NULL))::int AS unstarted
     FROM auth_sessions WHERE project_id = $1`,
    [project.id],
  );
  const { created = 0, unstarted = 0 } = rows[0] ?? {};
  const herald = mean(rates.herald);
  const value = `${herald.toFixed(0)} (p99 ${Math.max(...waits).toFixed(0)} ms)`;
  return [
    {
      name: `sessions created with their workflow per second, ${LOAD.concurrency} in flight`,
      value,
      baseline: `bare start ${mean(rates.bare).toFixed(0)}`,
      ratio: herald / mean(rates.bare),
      target: 0.8,
    },
    {
      name: 'sessions without a workflow at the end / requests refused',
      value: `${unstarted} of ${created} / ${refused}`,
    },
  ];
}
