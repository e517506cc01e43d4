'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { codeFolders, dist, filesIn, root, sources } = require('./sources');

/** Slow to load: each is loaded when its import is first used, so that what does not use it, or not yet, starts fast. */
const loadedOnUse = [
  '@maxhub/max-bot-api',
  '@modelcontextprotocol/server',
  '@temporalio/client',
  '@temporalio/common/lib/time',
  '@temporalio/proto',
  'cli-table3',
  'pino',
  'telegraf',
  'undici',
];

const options = {
  swcrc: false,
  jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  // Native import() stays as it is: oidc-provider is an ES module. It finds the names of our own exports by the
  // annotation.
  module: { type: 'commonjs', ignoreDynamic: true, exportInteropAnnotation: true, lazy: loadedOnUse },
  sourceMaps: true,
};

/**
 * Compiles without checking types, which `npm run typecheck` does: half a second instead of half a minute. Nothing is
 * written when a file has an error, so that the last good code stays whole.
 */
async function compile() {
  const files = sources.code().filter((file) => file.endsWith('.ts'));
  const compiled = await transformAll(files);
  const outputs = new Map();
  files.forEach((file, index) => {
    const { code, map } = compiled[index];
    const output = outputOf(file, '.js');
    const text = `${code}//# sourceMappingURL=${path.basename(output)}.map\n`;
    outputs.set(output, text).set(`${output}.map`, map);
  });
  for (const file of sources.code().filter((name) => name.endsWith('.json'))) {
    outputs.set(path.join(dist, path.relative(root, file)), read(file));
  }
  for (const [file, text] of outputs) write(file, text);
  removeOthers(outputs);
}

async function transformAll(files) {
  const results = await Promise.allSettled(files.map(transform));
  // The place and a few lines of the source; swc adds a backtrace of its own code.
  const errors = results.flatMap(({ reason }) => (reason ? [reason.message.split('\n\nCaused by:')[0]] : []));
  if (errors.length > 0) throw new Error(errors.join('\n'));
  return results.map(({ value }) => value);
}

/** Results of this process, for `--watch`: most files are as they were. */
const known = new Map();

async function transform(file) {
  const text = read(file);
  const last = known.get(file);
  if (last?.text === text) return last.result;
  const swc = require('@swc/core');
  const sourceFileName = path.relative(path.dirname(outputOf(file, '.js')), file);
  const result = await swc.transform(text, { ...options, filename: file, sourceFileName });
  known.set(file, { text, result });
  return result;
}

function outputOf(file, extension) {
  return path.join(dist, path.relative(root, file)).replace(/\.ts$/, extension);
}

function read(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null;
}

function write(file, text) {
  if (read(file) === text) return;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

/** Left by sources that are gone: without this, `require('./a')` would find an old a.js before a/index.js. */
function removeOthers(outputs) {
  for (const folder of codeFolders) {
    for (const file of filesIn(path.join(dist, folder))) if (!outputs.has(file)) fs.rmSync(file);
  }
}

module.exports = { compile };
