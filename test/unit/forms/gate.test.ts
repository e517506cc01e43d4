import type pg from 'pg';
import { loadConfig } from '../../../src/config';
import { createSubmissionLimit } from '../../../src/forms/gate';

test('no more submissions of a form are counted at once than it takes in a minute', async () => {
  // A database that never responds.
  const pool = { query: () => new Promise(() => {}) } as unknown as pg.Pool;
  const config = { ...loadConfig({}), HERALD_FORM_SUBMISSIONS_PER_MINUTE: 3 };
  const count = createSubmissionLimit({ pool, config });
  const outcomes: Record<string, number> = {};
  const begin = (formId: string, n: number) =>
    void count({ ip: `10.0.0.${n}` }, formId).catch((error: { code: string }) => {
      outcomes[`${formId} ${error.code}`] = (outcomes[`${formId} ${error.code}`] ?? 0) + 1;
    });
  for (let n = 0; n < 10; n += 1) begin('one', n);
  begin('other', 11);
  await new Promise(setImmediate);
  expect(outcomes).toEqual({ 'one rate_limit_form': 7 });
});
