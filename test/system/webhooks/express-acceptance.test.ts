/**
 * The webhook tests once more, in the express lane: log, statuses, retry, pause, cancel, recovery, limits and
 * signatures are the same in both.
 */
process.env['HERALD_TEST_LANE'] = 'express';

// A block for each file keeps its hooks to its own tests.
describe.each(['delivery', 'control', 'log', 'resilience', 'retries'])('in the express lane: %s', (file) => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- loaded after the lane is set
  require(`../webhooks-api/${file}.test`);
});
