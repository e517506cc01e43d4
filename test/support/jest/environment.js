'use strict';
/**
 * Test files run in the worker's own realm, one after another, because packages are loaded once for all of them
 * (`runtime.js`): an Error or an Uint8Array of a package must be one for the test. Jest's own environment gives each file new
 * globals; this one puts back what a file has changed, and switches off what it has left on.
 */
const { AsyncLocalStorage, AsyncResource } = require('node:async_hooks');
const perfHooks = require('node:perf_hooks');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

module.exports = class Environment {
  constructor({ projectConfig }) {
    this.global = globalThis;
    this.putBack = [rememberGlobals(), rememberProcess()];
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = null;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    for (const putBack of this.putBack) putBack();
    switchOff();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** `runtime.js` compiles without a context; jest only asks whether there is one. */
  getVmContext() {
    return globalThis;
  }
};

/** Globals that packages define when they are loaded, which happens once. */
const ofPackages = new Set();

module.exports.keepGlobalsOf = function keepGlobalsOf(load) {
  const before = new Set(Reflect.ownKeys(globalThis));
  const exports = load();
  for (const key of Reflect.ownKeys(globalThis)) if (!before.has(key)) ofPackages.add(key);
  return exports;
};

function rememberGlobals() {
  const before = Object.getOwnPropertyDescriptors(globalThis);
  return () => {
    for (const key of Reflect.ownKeys(globalThis)) {
      if (!(key in before) && !ofPackages.has(key)) Reflect.deleteProperty(globalThis, key);
    }
    for (const key of Reflect.ownKeys(before)) {
      const now = Reflect.getOwnPropertyDescriptor(globalThis, key);
      if (now && Object.is(now.value, before[key].value)) continue;
      Reflect.defineProperty(globalThis, key, before[key]);
    }
  };
}

function rememberProcess() {
  const env = { ...process.env };
  // Jest replaces both for each file.
  const { exit, getBuiltinModule } = process;
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    Object.assign(process, { exit, getBuiltinModule });
  };
}

const switchedOn = new Map();

function remember(prototype, methods, off) {
  for (const method of methods) {
    const original = prototype[method];
    prototype[method] = function (...args) {
      switchedOn.set(this, off);
      return original.apply(this, args);
    };
  }
}

function switchOff() {
  for (const [object, off] of switchedOn) object[off]();
  switchedOn.clear();
}

// Each storage in use makes every promise of the process dearer. It is on again with its next `run`.
remember(AsyncLocalStorage.prototype, ['run', 'enterWith'], 'disable');
// Metrics of Node's, which hold on to the service that collects them. The histogram's handle is never closed: made outside of
// any test, it holds on to none.
remember(perfHooks.PerformanceObserver.prototype, ['observe'], 'disconnect');
remember(Object.getPrototypeOf(perfHooks.monitorEventLoopDelay()), ['enable'], 'disable');
perfHooks.monitorEventLoopDelay = AsyncResource.bind(perfHooks.monitorEventLoopDelay);
