import type { BotDirectory } from './bot-directory';
import type { ChannelState } from './channel-state';
import { DroppedConnection, canonicalMethod, withFault, type CallFault } from './faults';
import { BodyError, readJson, sendFile, sendJson, type Exchange, type Handler } from './http';
import { createMessageRoutes, type MaxRoute } from './max-messages';
import { badPayload, botShape, MaxError } from './max-shapes';
import { Uploads } from './max-uploads';
import type { Update } from './updates';

const STATUS_CODES: Record<number, [code: string, message: string]> = {
  400: ['proto.payload', 'Invalid request'],
  401: ['verify.token', 'Invalid access_token'],
  403: ['chat.denied', 'error.dialog.suspended'],
  404: ['not.found', 'Not found'],
  429: ['too.many.requests', 'Too many requests'],
  503: ['service.unavailable', 'Service unavailable'],
};
const INTERNAL: [string, string] = ['internal.error', 'Internal error'];
const MAX_WEBHOOK_CONNECTIONS = 40;

/** The part of the MAX bot API that Herald and @maxhub/max-bot-api use. */
export function createMaxApi(bots: BotDirectory, origin: () => string): Handler {
  const apis = new Map<ChannelState, MaxBotApi>();

  function apiOf(state: ChannelState): MaxBotApi {
    const known = apis.get(state) ?? createBotApi(state, origin);
    apis.set(state, known);
    return known;
  }

  async function call(route: string, exchange: Exchange): Promise<unknown> {
    const token = exchange.req.headers.authorization ?? '';
    const query = exchange.url.searchParams;
    const method = canonicalMethod(route);
    const body = await readJson(exchange.req);
    if (!/^[^\s]+$/.test(token)) throw new MaxError(401, 'verify.token', 'Invalid access_token');
    if (bots.isNew(token)) {
      // A test cannot set faults for a bot that does not exist yet, so its first call takes those of the shared one.
      const fault = bots.shared.state.faults.takeForCall(method, null);
      await withFault(fault, faultError, () => undefined);
    }
    const state = bots.find(token)?.state;
    if (!state) throw new MaxError(401, 'verify.token', 'Invalid access_token');
    const handler = apiOf(state).routes[route];
    if (!handler) throw new MaxError(404, 'not.found', `Unknown method ${route}`);
    state.calls.record(method, { ...Object.fromEntries(query), ...body });
    return withFault(state.faultFor(method, chatOf(query, state.ids.dialogOf)), faultError, () =>
      handler({ query, body, signal: exchange.signal }),
    );
  }

  async function receiveUpload(exchange: Exchange): Promise<boolean> {
    for (const { uploads } of apis.values()) if (await uploads.receive(exchange)) return true;
    return false;
  }

  /** The bytes of a file that a user has sent: its address is the secret. */
  function download(exchange: Exchange): boolean {
    const id = /^\/max-files\/([^/]+)$/.exec(exchange.path)?.[1];
    if (id === undefined) return false;
    const found = bots.all().map(({ state }) => state.chats.fileOf(id));
    sendFile(
      exchange,
      found.find((file) => file !== undefined),
    );
    return true;
  }

  const { routes } = apiOf(bots.shared.state);
  return async (exchange) => {
    if (download(exchange) || (await receiveUpload(exchange))) return true;
    const [path, id] = splitMessagePath(exchange);
    if (!Object.keys(routes).some((route) => route.endsWith(` ${path}`))) return false;
    try {
      const result = await call(`${exchange.method} ${path}`, exchange);
      sendJson(exchange, 200, id === null ? result : firstMessage(result));
    } catch (error) {
      sendError(exchange, error);
    }
    return true;
  };
}

/** Of one bot: the token of an upload is valid for the bot that uploaded the file. */
interface MaxBotApi {
  routes: Record<string, MaxRoute>;
  uploads: Uploads;
}

function createBotApi(state: ChannelState, origin: () => string): MaxBotApi {
  const uploads = new Uploads();
  return {
    uploads,
    routes: {
      ...createMessageRoutes(state, uploads, state.ids.dialogOf),
      ...createUpdateRoutes(state),
      ...createBotRoutes(state),
      'POST /uploads': ({ query }) => uploads.begin(query.get('type'), origin()),
    },
  };
}

/** The chat of a call; null for a call without one. */
function chatOf(query: URLSearchParams, dialogOf: (userId: number) => number): number | null {
  const user = query.get('user_id');
  const chat = query.get('chat_id');
  if (user !== null) return dialogOf(Number(user));
  return chat === null ? null : Number(chat);
}

/** `GET /messages/{id}` is `GET /messages?message_ids={id}` with a single message as the response. */
function splitMessagePath({ path, url, method }: Exchange): [path: string, id: string | null] {
  const id = method === 'GET' ? /^\/messages\/([^/]+)$/.exec(path)?.[1] : undefined;
  if (id === undefined) return [path, null];
  url.searchParams.set('message_ids', decodeURIComponent(id));
  return ['/messages', id];
}

function firstMessage(result: unknown): unknown {
  return (result as { messages: unknown[] }).messages[0];
}

function sendError(exchange: Exchange, error: unknown): void {
  if (error instanceof DroppedConnection) {
    exchange.req.socket.destroy();
    return;
  }
  const known =
    error instanceof MaxError
      ? error
      : error instanceof BodyError
        ? badPayload(error.message)
        : new MaxError(500, ...INTERNAL);
  sendJson(
    exchange,
    known.status,
    { code: known.code, message: known.message },
    known.retryAfter === undefined ? {} : { 'retry-after': String(known.retryAfter) },
  );
}

function faultError({ code, description, retry_after }: CallFault, status: number): MaxError {
  const [usualCode, usualMessage] = STATUS_CODES[status] ?? INTERNAL;
  return new MaxError(status, code ?? usualCode, description ?? usualMessage, retry_after);
}

/** Updates by long polling with a marker, or by webhook. */
function createUpdateRoutes(state: ChannelState): Record<string, MaxRoute> {
  let subscription: { url: string; time: number; update_types: string[] } | null = null;

  return {
    'GET /updates': async ({ query, signal }) => {
      const number = (name: string, fallback: number, max: number) => {
        const value = Number(query.get(name) ?? fallback);
        if (!Number.isInteger(value) || value < 0) throw badPayload(`${name}: must be a number`);
        return Math.min(value, max);
      };
      const types = (query.get('types') ?? '').split(',').filter(Boolean);
      const marker = number('marker', 0, Number.MAX_SAFE_INTEGER);
      state.updates.acknowledgeBefore(marker);
      const batch = await state.updates.poll({
        limit: number('limit', 100, 1000),
        timeoutMs: number('timeout', 30, 90) * 1000,
        // A poll returns no updates while a webhook is set.
        accepts: (update) => !state.webhook && (types.length === 0 || types.includes(update.type)),
        signal,
      });
      const last = batch.reduce((max, update) => Math.max(max, update.id), 0);
      return { updates: batch.map((update) => update.body), marker: last > 0 ? last + 1 : marker };
    },

    'GET /subscriptions': () => ({ subscriptions: subscription ? [subscription] : [] }),

    'POST /subscriptions': async ({ body }) => {
      const { url, secret = null, update_types: types = null } = body;
      if (typeof url !== 'string' || !/^https?:\/\//.test(url) || !URL.canParse(url)) {
        throw badPayload('url: must be an address');
      }
      if (secret !== null && (typeof secret !== 'string' || !/^[\w-]{5,256}$/.test(secret))) {
        throw badPayload('secret: must be 5 to 256 characters of A-Z, a-z, 0-9, _ and -');
      }
      const wanted = Array.isArray(types) ? types.filter((each) => typeof each === 'string') : [];
      subscription = { url, time: Date.now(), update_types: wanted };
      await state.setWebhook({
        url,
        secret,
        maxConnections: MAX_WEBHOOK_CONNECTIONS,
        accepts: (update: Update) => wanted.length === 0 || wanted.includes(update.type),
      });
      return { success: true };
    },

    'DELETE /subscriptions': async ({ query }) => {
      if (subscription?.url === query.get('url')) {
        subscription = null;
        await state.setWebhook(null);
      }
      return { success: true };
    },
  };
}

function createBotRoutes({ bot }: ChannelState): Record<string, MaxRoute> {
  let commands: unknown[] = [];
  return {
    'GET /me': () => ({ ...botShape(bot), commands }),
    'PATCH /me/commands': ({ body }) => {
      if (!Array.isArray(body.commands)) throw badPayload('commands: must be a list');
      commands = body.commands as unknown[];
      return { commands };
    },
  };
}
