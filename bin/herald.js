#!/usr/bin/env node
'use strict';
/** Runs the compiled CLI. In a checkout whose sources have changed it builds first: no build step has to be known. */
const { spawnSync } = require('node:child_process');
const { isBuilt } = require('./build');

if (!isBuilt()) {
  // Standard output belongs to the command itself (--json).
  const build = spawnSync(process.execPath, [require.resolve('./build')], { stdio: ['ignore', 2, 2] });
  if (build.status !== 0) process.exit(build.status ?? 1);
}

require('../dist/src/cli.js');
