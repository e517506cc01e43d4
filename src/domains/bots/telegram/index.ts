import { z } from 'zod';
import { apiRoot, miniAppName, type Platform } from '../platform';
import { fetchesMedia } from './media';
import { createTelegramClient, identifyTelegramBot } from './client';
import { callsOf, convertText } from './text';
import { parseTelegramUpdate } from './update';

/** A paper plane. */
const mark = `<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path fill="currentColor" d="M2.6 11.6 20 4.7c.8-.3 1.6.3 1.3 1.3l-2.9 13.6c-.2.9-.9 1.2-1.6.7l-4.4-3.2-2.1 2c-.4.5-.9.3-1-.3l-.7-4.4 7.6-6.9-9.5 5.9-4.1-1.2c-.9-.2-.9-.5 0-.6z"/></svg>`;
const icon = `<svg viewBox="0 0 24 24"><circle cx="12" cy="12" r="11" fill="#1f7fc0"/><path fill="#fff" d="M5.4 11.7 17.6 6.9c.6-.2 1.1.2.9.9l-2 9.6c-.1.7-.6.8-1.1.5l-3.1-2.3-1.5 1.5c-.3.3-.6.2-.7-.2l-.5-3.1 5.4-4.9-6.7 4.2-2.9-.9c-.6-.1-.6-.4 0-.5z"/></svg>`;

export const telegram: Platform = {
  name: 'telegram',
  label: { en: 'Telegram', ru: 'Telegram' },
  mark,
  icon,

  settings: {
    token: {
      variable: 'TELEGRAM_BOT_TOKEN',
      schema: z
        .string()
        .regex(/^\d+:[A-Za-z0-9_-]{20,}$/, 'must be a token from BotFather')
        .optional()
        .describe(
          'Token of the Telegram bot. Without it the channel runs on the simulator in development and is not offered in production.',
        ),
    },
    apiRoot: {
      variable: 'TELEGRAM_API_ROOT',
      schema: apiRoot('https://api.telegram.org').describe(
        'Root of the Telegram Bot API, for a local Bot API server.',
      ),
    },
  },
  // Telegram itself refuses a token that is too short.
  tokenPattern: /^\d{1,16}:[A-Za-z0-9_-]{1,128}$/,
  tokenHint: { en: 'From @BotFather.', ru: 'Его выдаёт @BotFather.' },
  botIn: (token) => token.split(':')[0] ?? '',
  identify: identifyTelegramBot,
  createClient: createTelegramClient,
  link: (botName, start) => `https://t.me/${botName}?start=${encodeURIComponent(start)}`,
  appLink: (botName, start) => `tg://resolve?domain=${botName}&start=${encodeURIComponent(start)}`,

  secretHeader: 'x-telegram-bot-api-secret-token',
  parseUpdate: parseTelegramUpdate,
  // A private chat has the user's id.
  chatOf: (userId) => userId,

  fetchesMedia,
  convertText,
  callsOf,

  miniApp: {
    setting: {
      variable: 'TELEGRAM_MINI_APP',
      schema: miniAppName
        .optional()
        .describe(
          'The Mini App of the Telegram bot, whose page is `/mini`: its short name at BotFather, or its whole link. Without it there are no Mini App links.',
        ),
    },
    address: (botName, shortName) => `https://t.me/${botName}/${shortName}`,
    launchField: 'tgWebAppData',
    frameAncestors: ['https://web.telegram.org', 'https://*.web.telegram.org'],
  },
};
