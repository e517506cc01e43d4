import type { CallFault } from './faults';
import { DroppedConnection, methodWord, underFault } from './faults';
import type { Exchange, Handler } from './http';
import { BodyError, readJson, sendJson } from './http';
import type { MaxRoute } from './max-messages';
import { createMessageRoutes } from './max-messages';
import { badPayload, botShape, MaxError } from './max-shapes';
import { Uploads } from './max-uploads';
import type { Update } from './updates';
import type { World } from './world';

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

/** The MAX bot API, as far as herald and @maxhub/max-bot-api use it. */
export function createMaxApi(
  world: World,
  dialogOf: (userId: number) => number,
  origin: () => string,
): Handler {
  const uploads = new Uploads();
  const routes: Record<string, MaxRoute> = {
    ...createMessageRoutes(world, uploads, dialogOf),
    ...createUpdateRoutes(world),
    ...createBotRoutes(world),
    'POST /uploads': ({ query }) => uploads.begin(query.get('type'), origin()),
  };

  async function call(route: string, exchange: Exchange): Promise<unknown> {
    if (exchange.req.headers.authorization !== world.bot.token) {
      throw new MaxError(401, 'verify.token', 'Invalid access_token');
    }
    const handler = routes[route];
    if (!handler) throw new MaxError(404, 'not.found', `Unknown method ${route}`);
    const body = await readJson(exchange.req);
    const query = exchange.url.searchParams;
    const method = methodWord(route);
    world.calls.record(method, { ...Object.fromEntries(query), ...body });
    return underFault(world.faults.takeForCall(method), refusedByFault, () =>
      handler({ query, body, signal: exchange.signal }),
    );
  }

  return async (exchange) => {
    if (await uploads.receive(exchange)) return true;
    const [path, id] = splitMessagePath(exchange);
    if (!Object.keys(routes).some((route) => route.endsWith(` ${path}`))) return false;
    try {
      const result = await call(`${exchange.method} ${path}`, exchange);
      sendJson(exchange, 200, id === null ? result : firstMessage(result));
    } catch (error) {
      answerError(exchange, error);
    }
    return true;
  };
}

/** `GET /messages/{id}` is `GET /messages?message_ids={id}` with the one message as its answer. */
function splitMessagePath({ path, url, method }: Exchange): [path: string, id: string | null] {
  const id = method === 'GET' ? /^\/messages\/([^/]+)$/.exec(path)?.[1] : undefined;
  if (id === undefined) return [path, null];
  url.searchParams.set('message_ids', decodeURIComponent(id));
  return ['/messages', id];
}

function firstMessage(result: unknown): unknown {
  return (result as { messages: unknown[] }).messages[0];
}

function answerError(exchange: Exchange, error: unknown): void {
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

function refusedByFault({ code, description, retry_after }: CallFault, status: number): MaxError {
  const [usualCode, usualMessage] = STATUS_CODES[status] ?? INTERNAL;
  return new MaxError(status, code ?? usualCode, description ?? usualMessage, retry_after);
}

/** Long polling with a marker, or webhook subscriptions. */
function createUpdateRoutes(world: World): Record<string, MaxRoute> {
  let subscription: { url: string; time: number; update_types: string[] } | null = null;

  return {
    'GET /updates': async ({ query, signal }) => {
      const number = (name: string, otherwise: number, most: number) => {
        const value = Number(query.get(name) ?? otherwise);
        if (!Number.isInteger(value) || value < 0) throw badPayload(`${name}: must be a number`);
        return Math.min(value, most);
      };
      const types = (query.get('types') ?? '').split(',').filter(Boolean);
      const marker = number('marker', 0, Number.MAX_SAFE_INTEGER);
      world.updates.acknowledgeBefore(marker);
      const batch = await world.updates.poll({
        limit: number('limit', 100, 1000),
        timeoutMs: number('timeout', 30, 90) * 1000,
        // While a webhook is subscribed, polling brings nothing.
        accepts: (update) => !world.webhook && (types.length === 0 || types.includes(update.type)),
        signal,
      });
      const last = batch.reduce((most, update) => Math.max(most, update.id), 0);
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
      await world.setWebhook({
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
        await world.setWebhook(null);
      }
      return { success: true };
    },
  };
}

function createBotRoutes({ bot }: World): Record<string, MaxRoute> {
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
