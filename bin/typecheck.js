'use strict';
/** The type check of `npm run dev`: shows type errors whenever sources have changed, behind the build and the service. */
const os = require('node:os');
const path = require('node:path');
const { isMainThread, Worker } = require('node:worker_threads');

const root = path.join(__dirname, '..');

/** A check keeps its thread busy for seconds; in a thread of its own it does not keep the process from ending. */
if (isMainThread) {
  process.once('disconnect', () => process.exit());
  os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);
  new Worker(__filename);
} else {
  check();
}

function check() {
  const ts = require('typescript');
  const format = process.stderr.isTTY ? ts.formatDiagnosticsWithColorAndContext : ts.formatDiagnostics;
  const formatting = {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => root,
    getNewLine: () => '\n',
  };
  let hadErrors = false;

  function show(diagnostic) {
    process.stderr.write(format([diagnostic], formatting));
  }

  /** The end of a check is said in words: "Found 2 errors. Watching for file changes." */
  function showStatus({ messageText }) {
    const found = /^Found (\d+) error/.exec(messageText);
    if (!found) return;
    const errors = Number(found[1]);
    if (errors > 0 || hadErrors) {
      process.stderr.write(errors === 1 ? '1 type error\n' : `${errors || 'No'} type errors\n`);
    }
    hadErrors = errors > 0;
  }

  const host = ts.createSolutionBuilderWithWatchHost(ts.sys, undefined, show, () => undefined, showStatus);
  const projects = ['tsconfig.build.json', 'web'].map((name) => path.join(root, name));
  ts.createSolutionBuilderWithWatch(host, projects, {}).build();
}
