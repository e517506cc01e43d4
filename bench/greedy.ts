import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventNames, eventRegistry, isPublished } from '../src/domains/events/contract';

/** What a project, or a stranger, may ask for within its limits and other projects must not notice. */
export const greedyLoads = [
  'four broadcasts',
  'rename of a tag',
  'hostile CSV',
  'hostile batch',
  'exports and searches',
  'MCP loops',
  "strangers' JSON",
  'form flood',
  // The last one: what it has queued is delivered for minutes.
  'publish flood',
] as const;
export type GreedyLoad = (typeof greedyLoads)[number];

export interface GreedyOptions {
  load: GreedyLoad;
  /** Null: a bare server of the load's own process, which refuses everything. It shows what the load alone takes from the machine. */
  url: string | null;
  key: string;
  publishKey: string;
  projectId: string;
  externalIds: string[];
  formId: string;
}

export interface Greedy {
  pid: number;
  /** Ends the load; resolves to the number of responses by status. */
  stop(): Promise<Record<string, number>>;
}

/** In a process of its own, so that it does not use the thread that measures. */
export async function startGreedy(options: GreedyOptions): Promise<Greedy> {
  const child = fork(__filename);
  await once(child, 'message');
  child.send(options);
  const ended = once(child, 'exit');
  return {
    pid: child.pid ?? 0,
    async stop() {
      const counts = once(child, 'message');
      child.send('stop');
      const [byStatus] = (await counts) as [Record<string, number>];
      child.disconnect();
      const [code] = (await ended) as [number | null];
      if (code !== 0) throw new Error(`the greedy neighbour exited with ${code}`);
      return byStatus;
    },
  };
}

/** After a 429. */
const WAIT_MS = 500;

interface Answer {
  status: number;
  text: string;
}
type Ask = (method: string, path: string, body?: string, headers?: Record<string, string>) => Promise<Answer>;

const MEBIBYTE = 1024 * 1024;
const json = { 'content-type': 'application/json' };

/** Each runs over and over again, in as many loops as it says. */
const rounds: Record<
  GreedyLoad,
  { loops: number; round(ask: Ask, options: GreedyOptions): Promise<unknown> }
> = {
  'publish flood': {
    loops: 8,
    round: (ask, { publishKey }) => {
      const names = eventNames.filter(isPublished).slice(0, 5);
      const events = Array.from({ length: 100 }, (_, index) => {
        const name = names[index % names.length] ?? 'ticket.created';
        return { event: name, data: eventRegistry[name].example };
      });
      const headers = { ...json, authorization: `Bearer ${publishKey}` };
      return ask('POST', '/v1/publish', JSON.stringify({ events }), headers);
    },
  },
  'four broadcasts': {
    loops: 4,
    round: async (ask) => {
      const { status, text } = await ask('POST', '/v1/broadcast', JSON.stringify({ text: 'Hello!' }), json);
      if (status !== 202) return;
      await sleep(15_000);
      await ask('DELETE', `/v1/broadcast/${(JSON.parse(text) as { job_id: string }).job_id}`);
    },
  },
  'rename of a tag': {
    loops: 25,
    round: async (ask) => {
      const rename = (from: string, to: string) =>
        ask('PATCH', `/v1/tags/${from}`, JSON.stringify({ name: to }), json);
      const { status } = await rename('crowd', 'throng');
      if (status !== 200) await rename('throng', 'crowd');
      await ask('GET', '/v1/subscribers?limit=1');
    },
  },
  'hostile CSV': {
    loops: 4,
    round: async (ask) => {
      const headers = { 'content-type': 'text/csv' };
      await ask('POST', '/v1/import/subscribers', `"${'x'.repeat(9 * MEBIBYTE)}"`, headers);
      await ask('POST', '/v1/import/subscribers', ','.repeat(9 * MEBIBYTE), headers);
      await ask(
        'POST',
        '/v1/import/subscribers',
        `external_id,tags_add\n${'someone,a\n'.repeat(900_000)}`,
        headers,
      );
    },
  },
  'hostile batch': {
    loops: 4,
    round: async (ask, { externalIds }) => {
      const vars = Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => [`v${index}`, 'x'.repeat(40)]),
      );
      const messages = externalIds.map((external_id) => ({ external_id, template: 'hostile', vars }));
      await ask('POST', '/v1/send/batch', JSON.stringify({ messages }), json);
    },
  },
  'exports and searches': {
    loops: 6,
    round: async (ask) => {
      await ask('GET', '/v1/export/subscribers');
      await ask('GET', `/v1/deliveries?q=${encodeURIComponent('no such text anywhere')}`);
      await ask('GET', '/v1/export/deliveries');
    },
  },
  'MCP loops': {
    loops: 4,
    round: async (ask) => {
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      const headers = { ...json, accept: 'application/json, text/event-stream' };
      await ask('POST', '/mcp', JSON.stringify(list), headers);
      await ask('POST', '/mcp', JSON.stringify(Array.from({ length: 100 }, () => list)), headers);
    },
  },
  "strangers' JSON": {
    loops: 10,
    round: async (ask) => {
      const headers = { ...json, authorization: '' };
      await ask('POST', '/mini/subscribe', '['.repeat(MEBIBYTE - 1), headers);
      await ask('POST', '/mini/subscribe', `[${'1,'.repeat(MEBIBYTE / 2 - 2)}1]`, headers);
    },
  },
  // 500 a second: each loop waits half a second after a 429.
  'form flood': {
    loops: 250,
    round: (ask, { formId }) => {
      const byte = () => Math.floor(Math.random() * 256);
      const address = { 'x-forwarded-for': `10.${byte()}.${byte()}.${byte()}`, authorization: '' };
      const body = JSON.stringify({ size: 'x'.repeat(1_000) });
      return ask('POST', `/f/${formId}`, body, { ...json, ...address });
    },
  },
};

async function run(options: GreedyOptions, bareUrl: string): Promise<void> {
  const byStatus: Record<string, number> = {};
  let isOver = false;
  process.on('message', () => {
    isOver = true;
    process.send?.(byStatus);
  });
  process.on('disconnect', () => process.exit());
  const ask: Ask = async (method, path, body, headers = {}) => {
    const given = { authorization: `Bearer ${options.key}`, ...headers };
    const response = await fetch((options.url ?? bareUrl) + path, {
      method,
      headers: given,
      ...(body ? { body } : {}),
    });
    byStatus[response.status] = (byStatus[response.status] ?? 0) + 1;
    let text = '';
    // Exports are read to their end and not kept.
    for await (const chunk of response.body ?? []) {
      if (text.length < 10_000) text += Buffer.from(chunk as Uint8Array).toString();
    }
    // Greedy, and not foolish: a client that is told to wait waits for a moment, and goes on as soon as it may.
    if (response.status === 429) await sleep(WAIT_MS);
    return { status: response.status, text };
  };
  const { loops, round } = rounds[options.load];
  const loop = async (index: number) => {
    // Spread over the wait: loops that begin together would come back together, as a burst and not as a rate.
    await sleep((index * WAIT_MS) / loops);
    while (!isOver) {
      await round(ask, options).catch(() => {
        byStatus['cut'] = (byStatus['cut'] ?? 0) + 1;
        return sleep(100);
      });
    }
  };
  await Promise.all(Array.from({ length: loops }, (_, index) => loop(index)));
}

/** Refuses every request; runs until the process ends. */
async function startBareServer(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(429, json).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * To load, and to compile what fetch runs, takes a core for seconds. A flood from elsewhere takes nothing from the machine of
 * Herald, so the load begins when this is done.
 */
async function warmUp(url: string): Promise<void> {
  const ask = async () => {
    const response = await fetch(url, { method: 'POST', body: 'x'.repeat(1_000) });
    await response.text();
  };
  for (let i = 0; i < 100; i += 1) await Promise.all(Array.from({ length: 50 }, ask));
}

async function main(): Promise<void> {
  const given = once(process, 'message');
  const bareUrl = await startBareServer();
  await warmUp(bareUrl);
  process.send?.('ready');
  const [options] = (await given) as [GreedyOptions];
  await run(options, bareUrl);
}

if (require.main === module) void main();
