'use strict';
/**
 * Runs commands of the compiled CLI one after another in one process, as most of the time of a command goes into loading.
 * `POST { args, env }` returns `{ code, stdout, stderr }`.
 */
const { AsyncLocalStorage } = require('node:async_hooks');
const fs = require('node:fs');
const http = require('node:http');
const { json } = require('node:stream/consumers');

const cli = require.resolve('../../dist/src/cli.js');
const readyFile = process.argv[2];
const { exit } = process;

/** Ends the command that a callback belongs to, as a process would end. A command that has ended is not concerned. */
const failOf = new AsyncLocalStorage();
process.on('uncaughtException', (error) => {
  const fail = failOf.getStore();
  if (fail) return fail(error);
  fs.writeSync(2, `${error.stack}\n`);
  exit(1);
});

/** A command ends with `process.exit`, after its last write. */
function run({ args, env }) {
  return new Promise((resolve) => {
    const output = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr']) {
      process[stream].write = (chunk, ...rest) => {
        output[stream] += chunk;
        rest.at(-1)?.();
        return true;
      };
    }
    process.env = env;
    process.argv = [process.execPath, cli, ...args];
    process.exitCode = undefined;
    process.exit = (code = process.exitCode ?? 0) => resolve({ code, ...output });
    const fail = ({ stack }) => resolve({ code: 1, ...output, stderr: `${output.stderr}${stack}\n` });
    // Only the program itself is made anew; what it imports stays loaded.
    delete require.cache[cli];
    failOf.run(fail, () => require(cli));
  });
}

let last = Promise.resolve();
const server = http.createServer(async (req, res) => {
  const command = await json(req);
  last = last.then(() => run(command));
  res.end(JSON.stringify(await last));
});
server.listen(0, '127.0.0.1', () => {
  // Written whole before it has its name: the reader never sees half of it.
  fs.writeFileSync(`${readyFile}.tmp`, JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` }));
  fs.renameSync(`${readyFile}.tmp`, readyFile);
});
