'use strict';
/**
 * Jest loads everything anew for each test file. That is right for our own code, whose modules have state, but four fifths of
 * what a file loads is packages (Temporal, zod, oidc-provider, …), at about three seconds of CPU for each file that boots the
 * service. Here a worker loads a package once, with Node's own loader, and compiles each file of ours once; its modules are
 * still evaluated for each test file. `environment.js` has the other half: packages and tests share one set of globals.
 */
const { isBuiltin } = require('node:module');
const path = require('node:path');
const vm = require('node:vm');
const { default: JestRuntime } = require('jest-runtime');
const { keepGlobalsOf } = require('./environment');

const PACKAGES = `${path.sep}node_modules${path.sep}`;
/** Jest has versions of its own of these. */
const OF_JEST = /^(node:)?(process|module)$/;

/** The compiled function of each file. To call it again evaluates the module anew. */
const compiled = new Map();

module.exports = class Runtime extends JestRuntime {
  constructor(...args) {
    super(...args);
    const { executor } = this;
    executor.compile = (source, filename) => compileOnce(source, filename, executor.injectedModuleParameters);
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

function compileOnce(source, filename, parameters) {
  const known = compiled.get(filename);
  // With `--watch` a file may have changed since.
  if (known?.source === source) return known.run;
  const run = vm.compileFunction(source, parameters, {
    filename,
    // import() is Node's own, which loads ES modules.
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  compiled.set(filename, { source, run });
  return run;
}
