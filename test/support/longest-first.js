const { default: Sequencer } = require('@jest/test-sequencer');

/** Folders and files that take half a minute or more, the longest first. */
const LONG = [
  /web\/dashboard\.test/,
  /webhooks\/lanes\//,
  /chaos\/disaster/,
  /start\/(npm-start|dev)\./,
  /web\/docs\.test/,
  /\/test\/(chaos|start)\//,
  /\/pace\.test/,
  /broadcasts\/broadcast\./,
  /operations\/saved-queries/,
  /drip\/drip\./,
  /bots\/(own-bots|polling)/,
  /sdk\/guides/,
  /\/test\/web\//,
  /local\/postgres/,
  /events\/stream/,
  /system\/(cli|start)\//,
  /messages\/media/,
  /replay\/deployment/,
  /subscribers\/import/,
  /http\/(fuzz|all-routes)/,
];

/** Where a test stands in the list; behind it if it is not long. */
function rank({ path }) {
  const at = LONG.findIndex((pattern) => pattern.test(path));
  return at < 0 ? LONG.length : at;
}

/**
 * Jest puts large files first, because on a fresh clone it does not know how long they take. The longest tests are in
 * small files, and would leave the other workers without work at the end.
 */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
};
