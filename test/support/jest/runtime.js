'use strict';
/**
 * Jest loads everything anew for each test file. That is right for our own code, whose modules have state, but most of what a
 * file loads is packages (Temporal, zod, oidc-provider, …), and that took longer than most files. Here a worker loads a package
 * once, with Node's own loader, and transforms and compiles each file of ours once; our modules are still evaluated for each
 * test file. `environment.js` is the other half: packages and tests share one set of globals.
 */
const fs = require('node:fs');
const { isBuiltin } = require('node:module');
const path = require('node:path');
const vm = require('node:vm');
const { default: JestRuntime } = require('jest-runtime');
const { keepGlobalsOf } = require('./environment');

const PACKAGES = `${path.sep}node_modules${path.sep}`;
/** Jest has versions of its own of these. */
const OF_JEST = /^(node:)?(process|module)$/;

/** What each file of ours was transformed and compiled to. To call the function again evaluates the module anew. */
const known = new Map();

// The constant that gives compiled functions Node's own import() is announced as experimental, in each worker.
const { emitWarning } = process;
process.emitWarning = (warning, ...details) => {
  if (!String(warning).includes('USE_MAIN_CONTEXT_DEFAULT_LOADER')) emitWarning(warning, ...details);
};

module.exports = class Runtime extends JestRuntime {
  constructor(...args) {
    super(...args);
    const { executor, transformCache } = this;
    const transform = transformCache.transform.bind(transformCache);
    transformCache.transform = (filename, options) => {
      const file = fileOf(filename);
      file.code ??= transform(filename, options);
      file.sourceMap ??= transformCache.sourceMaps.get(filename);
      // For the stacks of this test file's errors.
      if (file.sourceMap) transformCache.sourceMaps.set(filename, file.sourceMap);
      return file.code;
    };
    executor.compile = (source, filename) =>
      (fileOf(filename).run ??= vm.compileFunction(source, executor.injectedModuleParameters, {
        filename,
        // import() is Node's own, which loads ES modules.
        importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      }));
  }

  requireModule(from, name, options, isRequireActual) {
    // What jest itself loads for a file (`expect`, its runner) has state as well.
    if (name && !options?.isInternalModule && !OF_JEST.test(name)) {
      if (isBuiltin(name)) return require(name);
      const file = this._resolution.resolveCjs(from, name);
      if (file.includes(PACKAGES)) return require.cache[file]?.exports ?? keepGlobalsOf(() => require(file));
    }
    return super.requireModule(from, name, options, isRequireActual);
  }
};

function fileOf(filename) {
  // With `--watch` a file may have changed since.
  const { mtimeMs } = fs.statSync(filename);
  const file = known.get(filename);
  if (file?.mtimeMs === mtimeMs) return file;
  const fresh = { mtimeMs };
  known.set(filename, fresh);
  return fresh;
}
