import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BotDirectory } from './bot-directory';
import { ChannelState, type BotIdentity, type ChannelName } from './channel-state';
import { createControlApi } from './control-api';
import { sendJson, type Handler } from './http';
import { clockCounter, uniqueTimes } from './ids';
import { keepUsers, readKeptUsers } from './kept-users';
import { createMaxApi } from './max-api';
import { createMaxActions } from './max-user';
import { createPage } from './page';
import { createTelegramApi } from './telegram-api';
import { createTelegramActions } from './telegram-user';
import { UserStore, type SimUser } from './users';

interface SimulatorOptions {
  /** 0 means any free port. */
  port: number;
  host?: string;
  telegram: { token: string; username: string };
  max: { token: string; username: string };
  /** Herald's own address, for the links to its Mini App. Default: they are relative. */
  serviceUrl?: string;
  /** Where the people whom the bots know outlive a restart. Default: nowhere. */
  usersFile?: string;
  log?: (msg: string) => void;
}

/** The bots of development. The tokens are constants, because the simulator is never reachable from outside. */
export const simulatedBots = {
  telegram: { token: '1000001:simulated-telegram-bot-token', username: 'herald_demo_bot' },
  max: { token: 'simulated-max-bot-token', username: 'herald_demo_bot' },
} as const satisfies Record<ChannelName, { token: string; username: string }>;

export interface Simulator {
  url: string;
  /** For telegraf's `telegram.apiRoot`. */
  telegramApiRoot: string;
  /** For `clientOptions.baseUrl` of @maxhub/max-bot-api. */
  maxApiRoot: string;
  stop(): Promise<void>;
}

/** On MAX a dialog and its user have different ids; confusing them must fail in the simulator too. */
const MAX_DIALOGS_FROM = 30_000_000_000;
const MAX_DIALOGS_OF_BOT = 1_000_000_000_000;
const TELEGRAM_GROUP = -1_001_000_000_001;
const MAX_GROUP = -70_000_000_000_001;

/** Starts a server that implements enough of both bot APIs for their real client libraries. Development only. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const log = options.log ?? (() => undefined);
  const host = options.host ?? '127.0.0.1';
  let url = '';

  const { usersFile } = options;
  const earlier = usersFile === undefined ? {} : await readKeptUsers(usersFile);
  const telegram = createTelegramBots(options.telegram, (bot) => earlier.telegram?.[bot] ?? []);
  const max = createMaxBots(options.max, (bot) => earlier.max?.[bot] ?? []);
  const handlers = [
    createPage(),
    createTelegramApi(telegram),
    createMaxApi(max, () => url),
    createControlApi({ telegram, max }, options.serviceUrl ?? '', () => url),
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
  const stopKeeping =
    usersFile === undefined ? undefined : keepUsers(usersFile, { telegram, max }, earlier, log);

  return {
    url,
    telegramApiRoot: url,
    maxApiRoot: url,
    async stop() {
      stopping.abort();
      stopKeeping?.();
      await Promise.all([telegram.stop(), max.stop()]);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A link to the simulator's page with the same `start` parameter, used in development; to the shared bot by default. */
export function simulatorLink(simulatorUrl: string, channel: string, start: string, bot?: string): string {
  const link = new URL(`/${channel}`, simulatorUrl);
  if (bot !== undefined) link.searchParams.set('bot', bot);
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

interface GivenBot {
  token: string;
  username: string;
}

/** Who had used the bot with this name before a restart. */
type EarlierUsers = (bot: string) => readonly SimUser[];

function createTelegramBots(shared: GivenBot, earlier: EarlierUsers): BotDirectory {
  const bot = (identity: BotIdentity, known?: UserStore) => {
    const state = createTelegramState(identity, new UserStore(known, earlier(identity.username)));
    return { state, actions: createTelegramActions(state) };
  };
  const first = bot(botIdentity(shared.token, shared.username));
  return new BotDirectory(first, (token) => bot(ownIdentity(token), first.state.userStore));
}

function createMaxBots(shared: GivenBot, earlier: EarlierUsers): BotDirectory {
  const bot = (identity: BotIdentity, number: number, known?: UserStore) => {
    const state = createMaxState(identity, number, new UserStore(known, earlier(identity.username)));
    return { state, actions: createMaxActions(state) };
  };
  const first = bot(botIdentity(shared.token, shared.username), 0);
  return new BotDirectory(first, (token, number) => bot(ownIdentity(token), number, first.state.userStore));
}

function createTelegramState(identity: BotIdentity, users: UserStore): ChannelState {
  return new ChannelState(
    'telegram',
    identity,
    {
      dialogOf: (userId) => userId,
      userOf: (chatId) => chatId,
      group: TELEGRAM_GROUP,
      nextMessage: clockCounter(),
      now: Date.now,
    },
    'x-telegram-bot-api-secret-token',
    users,
  );
}

/** A user's dialogs with two bots have different ids on MAX. */
function createMaxState(identity: BotIdentity, number: number, users: UserStore): ChannelState {
  const now = uniqueTimes();
  const dialogsFrom = MAX_DIALOGS_FROM + number * MAX_DIALOGS_OF_BOT;
  return new ChannelState(
    'max',
    identity,
    {
      dialogOf: (userId) => dialogsFrom + userId,
      userOf: (chatId) => chatId - dialogsFrom,
      group: MAX_GROUP,
      nextMessage: () => `mid.${now().toString(16)}${randomBytes(10).toString('hex')}`,
      now,
    },
    'x-max-bot-api-secret',
    users,
  );
}

/** A bot that appears with its token, named after its id. */
function ownIdentity(token: string): BotIdentity {
  const { id } = botIdentity(token, '');
  return { id, token, username: `own_${id}_bot` };
}

/** A Telegram token starts with the bot's id; for other tokens the id is derived by hashing. */
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
