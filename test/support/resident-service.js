'use strict';
/**
 * The process of a resident installation: the built service with all roles, and a simulator. Its servers are those of the
 * test run. The addresses are in the ready file as soon as it serves.
 */
const fs = require('node:fs');
const http = require('node:http');
const { json } = require('node:stream/consumers');
const { createPool } = require('../../dist/src/base/db/pool');
const { startSimulator } = require('../../dist/src/local/simulator');
const { emitEvent } = require('../../dist/src/domains/events');
const { eventRegistry } = require('../../dist/src/domains/events/contract');
const { runService } = require('../../dist/src/main');

const { databaseUrl, temporalAddress, bots, readyFile } = JSON.parse(process.argv[2]);

const pool = createPool({ url: databaseUrl, max: 2 });

/** Events that no request causes are emitted here, where the domains are registered. */
async function emitExample(req, res) {
  try {
    const { projectId, name, more } = await json(req);
    const { id } = await emitEvent(pool, projectId, name, { ...eventRegistry[name].example, ...more });
    res.end(id);
  } catch (error) {
    res.writeHead(500).end(String(error));
  }
}

async function main() {
  const { url, telegramApiRoot, maxApiRoot } = await startSimulator({ port: 0, ...bots });
  const simulator = { url, telegramApiRoot, maxApiRoot };
  const emitter = http.createServer(emitExample).listen(0, '127.0.0.1');
  process.exitCode = await runService({
    servers: { databaseUrl, temporalAddress, temporalUiUrl: null, simulator, dataDir: null },
    onReady({ runtime }) {
      const emitUrl = `http://127.0.0.1:${emitter.address().port}`;
      const ready = { url: runtime.api_url, databaseUrl, emitUrl, simulator };
      // Written whole before it has its name: the reader never sees half of it.
      fs.writeFileSync(`${readyFile}.tmp`, JSON.stringify(ready));
      fs.renameSync(`${readyFile}.tmp`, readyFile);
    },
  });
}

void main();
