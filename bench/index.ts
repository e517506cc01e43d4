import { benchAgainst } from './against';
import { benchBroadcast } from './broadcast';
import { benchCost } from './cost';
import { benchDeliveries } from './deliveries';
import { benchDrip } from './drip';
import { benchExport } from './export';
import { benchExpress } from './express';
import { benchGrown } from './grown';
import { benchIdle } from './idle';
import { benchLanes } from './lanes';
import { benchLogin } from './login';
import { benchOidc } from './oidc';
import { benchOneEndpoint } from './one-endpoint';
import { benchPublish } from './publish';
import { benchRetention } from './retention';
import { benchSearch } from './search';
import { benchShares } from './shares';
import { benchSmoke } from './smoke';
import { benchSoak } from './soak';
import { benchTickets } from './tickets';
import { benchWorkers } from './workers';
import { registerDomains } from '../src/process/roles/domains';
import { figureTable, isFarOff, type Figure } from './table';

/** `npm run bench` runs all, `npm run bench -- login` runs one, `npm run bench -- shares mcp` one load of it, `npm run bench -- cost cluster` one with a Temporal cluster. */
const benches: Record<string, (words: string[]) => Promise<Figure[]>> = {
  login: benchLogin,
  oidc: benchOidc,
  deliveries: benchDeliveries,
  broadcast: benchBroadcast,
  drip: benchDrip,
  express: benchExpress,
  'one-endpoint': benchOneEndpoint,
  publish: benchPublish,
  lanes: benchLanes,
  grown: benchGrown,
  idle: benchIdle,
  cost: benchCost,
  workers: benchWorkers,
  retention: benchRetention,
  export: benchExport,
  search: benchSearch,
  shares: benchShares,
  tickets: benchTickets,
  soak: benchSoak,
};

/** Runs only when named: its figures are short forms of the others'. */
const smoke = 'smoke';
benches[smoke] = benchSmoke;

/** The words that may follow a name; null: the benchmark knows its own. */
const wordsOf: Record<string, string[] | null> = { shares: null, cost: ['cluster'], workers: ['cluster'] };

/** Compares two builds, which its arguments name. */
const against = 'against';

async function main(): Promise<void> {
  registerDomains();
  const [first, ...rest] = process.argv.slice(2);
  if (first === against) return report(await benchAgainst(rest));
  const selected = process.argv.slice(2).filter((argument) => argument !== '--record');
  const unknown = selected.filter((name) => !Object.hasOwn(benches, name));
  const words = wordsOf[selected[0] ?? ''];
  if (unknown.length > 0 && words !== null && !unknown.every((word) => words?.includes(word))) {
    process.stderr.write(
      `There is no benchmark "${unknown.join('", "')}"; there are ${Object.keys(benches).join(', ')} and ${against} DIR.\n`,
    );
    process.exit(2);
  }
  const figures: Figure[] = [];
  for (const [name, run] of Object.entries(benches)) {
    if (selected.length > 0 ? !selected.includes(name) : name === smoke) continue;
    process.stderr.write(`running ${name} …\n`);
    const began = performance.now();
    figures.push(...(await run(unknown)));
    process.stderr.write(`  ${name} took ${((performance.now() - began) / 60_000).toFixed(1)} minutes\n`);
  }
  report(figures);
}

function report(figures: Figure[]): void {
  process.stdout.write(`${figureTable(figures)}\n`);
  process.exit(figures.some(isFarOff) ? 1 : 0);
}

void main();
