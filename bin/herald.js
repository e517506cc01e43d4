#!/usr/bin/env node
'use strict';
/*
 * Runs the compiled CLI. In a checkout whose sources are newer than their compiled form it compiles first, so that
 * no build step has to be known.
 */
const { spawnSync } = require('node:child_process');
const { existsSync, readdirSync, statSync } = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..');
const compiled = path.join(root, 'dist', 'workflow-bundle.js');

function newestSource(directory) {
  let newest = 0;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) newest = Math.max(newest, newestSource(file));
    else if (/\.(ts|tsx|mjs|css|html|md|svg)$/.test(entry.name))
      newest = Math.max(newest, statSync(file).mtimeMs);
  }
  return newest;
}

function isStale() {
  const sources = ['src', 'workflows', 'activities', 'web']
    .map((name) => path.join(root, name))
    .filter(existsSync);
  const canCompile = existsSync(path.join(root, 'node_modules', 'typescript'));
  if (!canCompile) return false;
  if (!existsSync(compiled)) return true;
  const built = statSync(compiled).mtimeMs;
  return sources.some((directory) => newestSource(directory) > built);
}

if (isStale()) {
  process.stderr.write('Compiling Herald…\n');
  // Standard output belongs to the command itself (--json).
  const build = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (build.status !== 0) process.exit(build.status ?? 1);
}

require('../dist/src/cli.js');
