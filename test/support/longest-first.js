const { default: Sequencer } = require('@jest/test-sequencer');

/** Folders and files that take about half a minute or more. */
const LONG = [
  /webhooks\/lanes\//,
  /\/test\/chaos\//,
  /\/test\/web\//,
  /system\/start\//,
  /operations\/(disaster|saved-queries)/,
  /crash\.test/,
  /system\/cli\//,
  /\/pace\.test/,
  /replay\/deployment/,
  /sdk\/guides/,
  // Half a million rows: in a worker with a large heap most of its time is garbage collection.
  /subscribers\/import/,
];

/**
 * Jest puts large files first, because on a fresh clone it does not know how long they take. The longest tests are in
 * small files, and would leave the other workers without work at the end.
 */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const isLong = ({ path }) => LONG.some((pattern) => pattern.test(path));
    const sorted = super.sort(tests);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
};
