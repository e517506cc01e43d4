import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createControlApi } from './control-api';
import type { Handler } from './http';
import { sendJson } from './http';
import { clockCounter, distinctTimes } from './ids';
import { createMaxApi } from './max-api';
import { createMaxActs } from './max-user';
import { createPage } from './page';
import { createTelegramApi } from './telegram-api';
import { createTelegramActs } from './telegram-user';
import type { BotIdentity, ChannelName } from './world';
import { World } from './world';

export interface SimulatorOptions {
  /** 0 takes any free port */
  port: number;
  host?: string;
  telegram: { token: string; username: string };
  max: { token: string; username: string };
  log?: (msg: string) => void;
}

export interface Simulator {
  url: string;
  /** `telegram.apiRoot` of telegraf */
  telegramApiRoot: string;
  /** `clientOptions.baseUrl` of @maxhub/max-bot-api */
  maxApiRoot: string;
  stop(): Promise<void>;
}

/** A MAX dialog is not its user: mistaking one id for the other must fail here as it does there. */
const MAX_DIALOGS_FROM = 30_000_000_000;
const TELEGRAM_GROUP = -1_001_000_000_001;
const MAX_GROUP = -70_000_000_000_001;

/** Starts a server that speaks enough of both bot APIs to drive their real client libraries. Development only. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const log = options.log ?? (() => undefined);
  const host = options.host ?? '127.0.0.1';
  let url = '';

  const telegram = createTelegramWorld(options.telegram);
  const max = createMaxWorld(options.max);
  const handlers = [
    createPage(),
    createTelegramApi(telegram),
    createMaxApi(max, maxDialogOf, () => url),
    createControlApi({
      telegram: { world: telegram, acts: createTelegramActs(telegram) },
      max: { world: max, acts: createMaxActs(max) },
    }),
  ];

  const stopping = new AbortController();
  const server = createServer((req, res) => {
    serve(handlers, req, res, stopping.signal).catch((error: unknown) => {
      log(`simulator: ${req.method} failed: ${error instanceof Error ? error.message : String(error)}`);
      if (!res.headersSent) res.writeHead(500);
      res.end();
    });
  });
  await listen(server, options.port, host);
  url = `http://${host}:${(server.address() as AddressInfo).port}`;
  log(`simulator of Telegram and MAX listens on ${url}`);

  return {
    url,
    telegramApiRoot: url,
    maxApiRoot: url,
    async stop() {
      stopping.abort();
      await Promise.all([telegram.stop(), max.stop()]);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The link a project gets in development: the simulator's own page, with the same `start` parameter. */
export function simulatorLink(simulatorUrl: string, channel: ChannelName, start: string): string {
  const link = new URL(`/${channel}`, simulatorUrl);
  link.searchParams.set('start', start);
  return link.href;
}

async function serve(
  handlers: Handler[],
  req: IncomingMessage,
  res: ServerResponse,
  stopping: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  const url = new URL(req.url ?? '/', 'http://simulator');
  const exchange = {
    req,
    res,
    method: req.method ?? 'GET',
    url,
    path: url.pathname.replace(/(.)\/$/, '$1'),
    signal: AbortSignal.any([gone.signal, stopping]),
  };
  for (const handler of handlers) {
    if (await handler(exchange)) return;
  }
  sendJson(exchange, 404, { error: 'not found' });
}

function createTelegramWorld({ token, username }: { token: string; username: string }): World {
  return new World(
    'telegram',
    botIdentity(token, username),
    {
      dialogOf: (userId) => userId,
      userOf: (chatId) => chatId,
      group: TELEGRAM_GROUP,
      nextMessage: clockCounter(),
      now: Date.now,
    },
    'x-telegram-bot-api-secret-token',
  );
}

function createMaxWorld({ token, username }: { token: string; username: string }): World {
  const now = distinctTimes();
  return new World(
    'max',
    botIdentity(token, username),
    {
      dialogOf: maxDialogOf,
      userOf: (chatId) => chatId - MAX_DIALOGS_FROM,
      group: MAX_GROUP,
      nextMessage: () => `mid.${now().toString(16)}${randomBytes(10).toString('hex')}`,
      now,
    },
    'x-max-bot-api-secret',
  );
}

function maxDialogOf(userId: number): number {
  return MAX_DIALOGS_FROM + userId;
}

/** A Telegram token starts with the bot's id; any other token gets a number of its own. */
function botIdentity(token: string, username: string): BotIdentity {
  const prefix = /^(\d{1,15}):/.exec(token)?.[1];
  const id = prefix ? Number(prefix) : createHash('sha256').update(token).digest().readUInt32BE(0);
  return { id, token, username };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
