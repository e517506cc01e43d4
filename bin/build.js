'use strict';
/*
 * Builds the parts of dist/ that are stale. A part is stale when its sources differ, by content, from those that it was
 * last built from; so another branch, a deleted file and an interrupted build need no special care.
 */
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { compile } = require('./compile');
const { contentOf, dist, recordPageModules, root, sources, timesOfSources } = require('./sources');

const builders = { pages: buildPages, code: compile, bundle: buildBundle };
/** The contents that each part was built from. */
const recordFile = path.join(dist, 'built.json');
const LOCK_RETRY_MS = 100;
const WATCH_MS = 250;

/** Always true without the compilers, as in a production image. */
function isBuilt() {
  if (!fs.existsSync(path.join(root, 'node_modules', 'typescript'))) return true;
  const record = readRecord();
  return Object.keys(builders).every((part) => record[part] === contentOf(sources[part]()));
}

async function build() {
  const lock = await takeLock();
  try {
    // The bundle is made from the compiled code. Everything has ended before the lock is released.
    const code = buildPart('code').then(() => buildPart('bundle'));
    const results = await Promise.allSettled([code, buildPart('pages')]);
    const errors = results.flatMap(({ reason }) => (reason ? [reason.message] : []));
    if (errors.length > 0) throw new Error(errors.join('\n'));
  } finally {
    await lock.release();
  }
}

async function buildPart(part) {
  if (readRecord()[part] === contentOf(sources[part]())) return;
  const times = timesOfSources();
  process.stdout.write(`Building the ${part}…\n`);
  writeRecord({ ...readRecord(), [part]: undefined });
  await builders[part]();
  // The part is stale again if a source has changed meanwhile. Which its sources are can have changed with the build.
  if (times === null || times !== timesOfSources()) return;
  writeRecord({ ...readRecord(), [part]: contentOf(sources[part]()) });
}

async function buildPages() {
  const vite = await import('vite');
  const recorder = {
    name: 'herald-page-modules',
    buildEnd(error) {
      if (!error) recordPageModules([...this.getModuleIds()]);
    },
  };
  await vite.build({ configFile: path.join(root, 'vite.config.mjs'), plugins: [recorder] });
}

/** So that a worker starts without running webpack. */
async function buildBundle() {
  const { buildWorkflowBundle } = require('../dist/src/base/temporal/bundle.js');
  await buildWorkflowBundle(path.join(dist, 'workflow-bundle.js'));
}

function readRecord() {
  try {
    return JSON.parse(fs.readFileSync(recordFile, 'utf8'));
  } catch {
    return {};
  }
}

function writeRecord(record) {
  const draft = `${recordFile}.${process.pid}.tmp`;
  fs.writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`);
  fs.renameSync(draft, recordFile);
}

/** Of two commands at once the second waits here, and mostly finds nothing left to build. */
async function takeLock() {
  const { acquireLock } = require('tsx/cjs/api').require('../src/local/lock.ts', __filename);
  for (;;) {
    const { lock } = await acquireLock(path.join(dist, '.build-lock'));
    if (lock) return lock;
    await sleep(LOCK_RETRY_MS);
  }
}

/** For `npm run dev`: builds after each change and tells the parent process what the service would run. */
async function watch() {
  process.once('disconnect', () => process.exit());
  for (let seen; ; await sleep(WATCH_MS)) {
    const times = timesOfSources();
    if (times === null || times === seen) continue;
    seen = times;
    const changedAt = Date.now();
    if (!(await buildOrReport())) continue;
    const { code, bundle } = readRecord();
    process.send?.({ version: `${code} ${bundle}`, changedAt });
  }
}

async function buildOrReport() {
  try {
    if (!isBuilt()) await build();
    return true;
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    return false;
  }
}

module.exports = { isBuilt };

if (require.main === module) {
  if (process.argv.includes('--watch')) void watch();
  else void buildOrReport().then((built) => (process.exitCode = built ? 0 : 1));
}
