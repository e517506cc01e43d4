import { z } from 'zod';
import { apiRoot, miniAppName, type Platform } from '../platform';
import { fetchesMedia } from './media';
import { createMaxClient, identifyMaxBot } from './client';
import { parseMaxUpdate, userAddress } from './update';

/** The letters MAX in a frame. */
const mark = `<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><rect x="1.5" y="4" width="21" height="16" rx="5" fill="none" stroke="currentColor" stroke-width="1.6"/><path fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" d="M4.6 15V9.2l1.9 2.9 1.9-2.9V15M10 15l2-5.8 2 5.8m-3.3-1.7h2.6M15.8 9.2l3.6 5.8m0-5.8L15.8 15"/></svg>`;
const icon = `<svg viewBox="0 0 24 24"><rect x="1" y="1" width="22" height="22" rx="6" fill="#5b3fd1"/><path fill="none" stroke="#fff" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" d="M4 15V9l2 3 2-3v6M9.8 15l2.2-6 2.2 6M10.6 13.2h2.8M16 9l4 6M20 9l-4 6"/></svg>`;

export const max: Platform = {
  name: 'max',
  label: { en: 'MAX', ru: 'MAX' },
  mark,
  icon,

  settings: {
    token: {
      variable: 'MAX_BOT_TOKEN',
      schema: z
        .string()
        .min(10, 'must be a token from MAX')
        .optional()
        .describe(
          'Token of the MAX bot. Without it the channel runs on the simulator in development and is not offered in production.',
        ),
    },
    apiRoot: {
      variable: 'MAX_API_ROOT',
      schema: apiRoot('https://platform-api2.max.ru').describe('Root of the MAX Bot API.'),
    },
  },
  tokenPattern: /^[A-Za-z0-9_.~+/=:-]{10,256}$/,
  tokenHint: { en: 'From the “MAX for partners” platform.', ru: 'Его выдаёт платформа «MAX для партнёров».' },
  botIn: (token) => token,
  identify: identifyMaxBot,
  createClient: createMaxClient,
  link: (botName, start) => `https://max.ru/${botName}?start=${encodeURIComponent(start)}`,
  appLink: () => null,

  secretHeader: 'x-max-bot-api-secret',
  parseUpdate: parseMaxUpdate,
  // A dialog has another id with each bot; the user is the same for all of them.
  chatOf: userAddress,

  fetchesMedia,
  convertText: () => undefined,
  callsOf: () => 1,

  miniApp: {
    setting: {
      variable: 'MAX_MINI_APP',
      schema: miniAppName
        .optional()
        .describe('The Mini App of the MAX bot: its whole link, or any name if it is the bot’s own.'),
    },
    // MAX has one Mini App for each bot, without a name of its own.
    address: (botName) => `https://max.ru/${botName}`,
    launchField: 'WebAppData',
    frameAncestors: ['https://web.max.ru', 'https://max.ru'],
  },
};
