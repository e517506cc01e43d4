'use strict';
/**
 * The process of a resident installation: the built service with all roles, and a simulator. Its servers are those of the
 * test run. The addresses are in the ready file as soon as it serves.
 */
const fs = require('node:fs');
const { startSimulator } = require('../../dist/src/embedded/simulator');
const { runService } = require('../../dist/src/main');

const { databaseUrl, temporalAddress, bots, readyFile } = JSON.parse(process.argv[2]);

async function main() {
  const { url, telegramApiRoot, maxApiRoot } = await startSimulator({ port: 0, ...bots });
  const simulator = { url, telegramApiRoot, maxApiRoot };
  process.exitCode = await runService({
    servers: { databaseUrl, temporalAddress, temporalUiUrl: null, simulator, dataDir: null },
    onReady(runtime) {
      // Written whole before it has its name: the reader never sees half of it.
      fs.writeFileSync(`${readyFile}.tmp`, JSON.stringify({ url: runtime.api_url, databaseUrl, simulator }));
      fs.renameSync(`${readyFile}.tmp`, readyFile);
    },
  });
}

void main();
