import type { BotDirectory } from './bot-directory';
import type { ChannelState } from './channel-state';
import { DroppedConnection, withFault, type CallFault } from './faults';
import { BodyError, readAnyParams, sendFile, sendJson, type Exchange, type Handler } from './http';
import { createMessageMethods } from './telegram-messages';
import { jsonParam, chatIdParam, flagParam, numberParam, textParam, type Params } from './telegram-params';
import { badRequest, botShape, chatShape, TelegramError } from './telegram-shapes';
import type { Update } from './updates';

/** What bots can download. */
const MAX_DOWNLOAD = 20 * 1024 * 1024;

type Method = (params: Params, signal: AbortSignal) => unknown;

const STATUS_TEXTS: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden: bot was blocked by the user',
  404: 'Not Found',
  409: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
};

/** The part of the Telegram Bot API, at `/bot<token>/<method>`, that Herald and telegraf use. */
export function createTelegramApi(bots: BotDirectory): Handler {
  const methods = new WeakMap<ChannelState, Methods>();

  function methodsOf(state: ChannelState): Methods {
    const known = methods.get(state) ?? createMethods(state);
    methods.set(state, known);
    return known;
  }

  async function call(token: string, methodName: string, exchange: Exchange): Promise<unknown> {
    if (!/^\d+:[\w-]+$/.test(token)) throw new TelegramError(404, 'Not Found');
    const params = await readAnyParams(exchange);
    if (bots.isNew(token)) {
      // A test cannot set faults for a bot that does not exist yet, so its first call takes those of the shared one.
      const fault = bots.shared.state.faults.takeForCall(methodName, chatOf(params));
      await withFault(fault, faultError, () => undefined);
    }
    const state = bots.find(token)?.state;
    if (!state) throw new TelegramError(401, 'Unauthorized');
    const [name, method] = methodsOf(state).get(methodName.toLowerCase()) ?? [];
    if (!name || !method) throw new TelegramError(404, 'Not Found: method not found');
    state.calls.record(name, params);
    return withFault(state.faultFor(name, chatOf(params)), faultError, () => method(params, exchange.signal));
  }

  /** The bytes of a file that a user has sent, at the path that getFile has named. */
  function download(exchange: Exchange): boolean {
    const [, token, id] = /^\/file\/bot([^/]+)\/files\/([^/]+)$/.exec(exchange.path) ?? [];
    if (token === undefined || id === undefined) return false;
    const file = bots.find(decodeURIComponent(token))?.state.chats.fileOf(id);
    sendFile(exchange, file);
    return true;
  }

  return async (exchange) => {
    if (download(exchange)) return true;
    const [, token, method] = /^\/bot([^/]+)\/([^/]+)$/.exec(exchange.path) ?? [];
    if (token === undefined || method === undefined) return false;
    try {
      const result = await call(decodeURIComponent(token), method, exchange);
      sendJson(exchange, 200, { ok: true, result });
    } catch (error) {
      sendError(exchange, error);
    }
    return true;
  };
}

type Methods = Map<string, [name: string, method: Method]>;

function createMethods(state: ChannelState): Methods {
  const table: Record<string, Method> = {
    ...createUpdateMethods(state),
    ...createMessageMethods(state),
    ...createBotMethods(state),
  };
  return new Map(Object.entries(table).map(([name, method]) => [name.toLowerCase(), [name, method]]));
}

/** The chat of a call; null for a call without one. */
function chatOf(params: Params): number | null {
  const id = textParam(params, 'chat_id');
  return id === null || id === '' ? null : Number(id);
}

function sendError(exchange: Exchange, error: unknown): void {
  if (error instanceof DroppedConnection) {
    exchange.req.socket.destroy();
    return;
  }
  const known =
    error instanceof TelegramError
      ? error
      : error instanceof BodyError
        ? badRequest(error.message)
        : new TelegramError(500, 'Internal Server Error');
  sendJson(
    exchange,
    known.status,
    {
      ok: false,
      error_code: known.status,
      description: known.description,
      ...(known.retryAfter !== undefined && { parameters: { retry_after: known.retryAfter } }),
    },
    known.retryAfter === undefined ? {} : { 'retry-after': String(known.retryAfter) },
  );
}

function faultError({ description, retry_after }: CallFault, status: number): TelegramError {
  const usual = STATUS_TEXTS[status] ?? 'Bad Request';
  const text = status === 429 ? `${usual}: retry after ${retry_after ?? 1}` : usual;
  return new TelegramError(status, description ?? text, status === 429 ? (retry_after ?? 1) : retry_after);
}

/** Updates by long polling or by webhook; a bot uses one of them. */
function createUpdateMethods(state: ChannelState): Record<string, Method> {
  let currentPoll: AbortController | null = null;
  let allowed: string[] = [];

  const accepts = (update: Update) => allowed.length === 0 || allowed.includes(update.type);
  const readAllowed = (params: Params) => {
    const list = jsonParam(params, 'allowed_updates');
    if (Array.isArray(list)) allowed = list.filter((each) => typeof each === 'string');
  };

  return {
    getUpdates: async (params, signal) => {
      if (state.webhook) {
        throw new TelegramError(
          409,
          "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
        );
      }
      currentPoll?.abort();
      const mine = new AbortController();
      currentPoll = mine;
      readAllowed(params);
      const offset = numberParam(params, 'offset', 0);
      if (offset > 0) state.updates.acknowledgeBefore(offset);
      if (offset < 0) state.updates.keepLast(-offset);
      const batch = await state.updates.poll({
        limit: Math.min(Math.max(numberParam(params, 'limit', 100), 1), 100),
        timeoutMs: Math.min(Math.max(numberParam(params, 'timeout', 0), 0), 50) * 1000,
        accepts,
        signal: AbortSignal.any([signal, mine.signal]),
      });
      if (mine.signal.aborted) throw faultError({ method: 'getUpdates', times: 1 }, 409);
      if (currentPoll === mine) currentPoll = null;
      return batch.map((update) => update.body);
    },

    setWebhook: async (params) => {
      const url = textParam(params, 'url') ?? '';
      if (flagParam(params, 'drop_pending_updates')) state.updates.dropAll();
      if (url === '') {
        await state.setWebhook(null);
        return true;
      }
      if (!/^https?:/.test(url) || !URL.canParse(url)) {
        throw badRequest('bad webhook: An HTTPS URL must be provided for webhook');
      }
      const secret = textParam(params, 'secret_token');
      if (secret !== null && !/^[\w-]{1,256}$/.test(secret)) {
        throw badRequest('secret token contains unallowed characters');
      }
      currentPoll?.abort();
      readAllowed(params);
      await state.setWebhook({
        url,
        secret,
        maxConnections: Math.min(Math.max(numberParam(params, 'max_connections', 40), 1), 100),
        accepts,
      });
      return true;
    },

    deleteWebhook: async (params) => {
      if (flagParam(params, 'drop_pending_updates')) state.updates.dropAll();
      await state.setWebhook(null);
      return true;
    },

    getWebhookInfo: () => ({
      url: state.webhook?.hook.url ?? '',
      has_custom_certificate: false,
      pending_update_count: state.updates.unacknowledged().length,
      ...(state.webhook && { max_connections: state.webhook.hook.maxConnections }),
      ...(state.webhook?.lastError && {
        last_error_date: Math.floor(state.webhook.lastError.at / 1000),
        last_error_message: state.webhook.lastError.message,
      }),
      ...(allowed.length > 0 && { allowed_updates: allowed }),
    }),
  };
}

function createBotMethods({ bot, chats }: ChannelState): Record<string, Method> {
  let commands: unknown = [];
  return {
    getMe: () => ({
      ...botShape(bot),
      can_join_groups: true,
      can_read_all_group_messages: false,
      supports_inline_queries: false,
    }),
    setMyCommands: (params) => {
      commands = jsonParam(params, 'commands');
      if (!Array.isArray(commands)) throw badRequest("can't parse commands JSON array");
      return true;
    },
    getMyCommands: () => commands,
    getFile: (params) => {
      const id = textParam(params, 'file_id') ?? '';
      const file = chats.fileOf(id);
      if (!file) throw badRequest('wrong file_id or the file is temporarily unavailable');
      if (file.bytes > MAX_DOWNLOAD) throw badRequest('file is too big');
      return { file_id: id, file_unique_id: id, file_size: file.bytes, file_path: `files/${id}` };
    },
    getChat: (params) => {
      const chat = chats.forBot(chatIdParam(params));
      if (chat === 'blocked') throw new TelegramError(403, 'Forbidden: bot was blocked by the user');
      if (chat === 'unknown') throw badRequest('chat not found');
      return chatShape(chat);
    },
  };
}
