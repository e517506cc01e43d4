import { reportText } from './report';
import { runChaos } from './run';

jest.setTimeout(900_000);

/** The long one is `npm run chaos`. */
test('kills and pauses of every part under logins, deliveries and tickets break no invariant', async () => {
  const steps: string[] = [];
  const report = await runChaos({ seconds: 25, seed: 20_260, onProgress: (step) => steps.push(step) });
  const broken = report.invariants.filter(({ holds }) => !holds);
  if (broken.length > 0) throw new Error(`${steps.join('\n')}\n${reportText(report)}`);
  expect(report.seen.yes).toBeGreaterThan(0);
  expect(report.seen.replies).toBeGreaterThan(0);
});
