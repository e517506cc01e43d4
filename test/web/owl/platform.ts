import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Platform } from '../../../src/domains/bots';
import type {
  BotAddress,
  BotClient,
  BotIdentity,
  OutgoingMessage,
} from '../../../src/domains/bots/messenger';
import { apiRoot } from '../../../src/domains/bots/platform';
import { PlatformError } from '../../../src/domains/bots/platform-error';
import type { Incoming } from '../../../src/domains/bots/update';
import type { OwlMessage, OwlUpdate } from './server';

const mark = '<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="9"/></svg>';
const POLL_PAUSE_MS = 50;

/** A messenger that Herald's own code has never heard of. */
export const owl: Platform = {
  name: 'owl',
  label: { en: 'Owl', ru: 'Сова' },
  mark,
  icon: mark,
  settings: {
    token: { variable: 'OWL_BOT_TOKEN', schema: z.string().optional() },
    apiRoot: { variable: 'OWL_API_ROOT', schema: apiRoot('https://owl.example') },
  },
  tokenPattern: /^owl-\d{1,9}-[a-z]{8,64}$/,
  tokenHint: { en: 'From the owlery.', ru: 'Его выдаёт совятня.' },
  botIn: (token) => token.split('-')[1] ?? '',
  identify,
  createClient,
  link: (botName, start) => `https://owl.example/${botName}?start=${start}`,
  appLink: () => null,
  secretHeader: 'x-owl-secret',
  parseUpdate: (raw) => {
    const { number, from, opened, tapped } = raw as OwlUpdate;
    const incoming: Incoming = opened
      ? { kind: 'open', start: opened.start }
      : tapped
        ? { kind: 'tap', data: tapped.data, callbackId: `t${number}`, messageId: tapped.message }
        : { kind: 'other' };
    const user = { id: from.id, firstName: from.name, username: null, lang: 'en' as const };
    return {
      dedupeKey: String(number),
      chatQueue: `user:${from.id}`,
      sequence: number,
      parsed: { channel: 'owl', chatId: `@${from.id}`, private: true, user, incoming },
    };
  },
  chatOf: (userId) => `@${userId}`,
  fetchesMedia: () => true,
  convertText: ({ text, format }) => (format === 'markdown' ? text.replaceAll('**', '^') : undefined),
  callsOf: () => 1,
  miniApp: null,
};

async function call<T>({ token, apiRoot: root }: BotAddress, method: string, path: string, body?: unknown) {
  const response = await fetch(root + path, {
    method,
    headers: { 'x-owl-token': token },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.ok) return (await response.json()) as T;
  throw new PlatformError('bot_banned', await response.text(), { status: response.status });
}

async function identify(address: BotAddress): Promise<BotIdentity> {
  const { id, name } = await call<{ id: number; name: string }>(address, 'GET', '/me');
  return { botId: id, botName: name };
}

function createClient(options: BotAddress): BotClient {
  return {
    async send(chatId, message) {
      const { id } = await call<OwlMessage>(options, 'POST', '/messages', { to: chatId, ...bodyOf(message) });
      return { messageId: id };
    },
    async edit(_chatId, messageId, message) {
      await call(options, 'PUT', `/messages/${messageId}`, bodyOf(message));
    },
    answerTap: () => Promise.resolve(),
    setWebhook: () => Promise.resolve(),
    deleteWebhook: () => Promise.resolve(),
    webhookState: () => Promise.resolve({ urls: [], lastError: null }),
    openFile: () => Promise.reject(new PlatformError('invalid_message', 'Owls carry no files.')),
    async poll(position, signal) {
      const updates = await call<OwlUpdate[]>(options, 'GET', `/updates?after=${position ?? 0}`);
      if (updates.length === 0) await sleep(POLL_PAUSE_MS, undefined, { signal });
      return { updates, position: String(updates.at(-1)?.number ?? position ?? 0) };
    },
  };
}

function bodyOf({ text, converted, buttons = [] }: OutgoingMessage): Omit<OwlMessage, 'id' | 'to'> {
  return {
    text: converted ?? text,
    buttons: buttons
      .flat()
      .map(({ text: label, data, url }) => ({ label, ...(data && { data }), ...(url && { url }) })),
  };
}
