import { createHmac, randomBytes } from 'node:crypto';
import type { ChannelState } from './channel-state';
import type { SimUser } from './users';

/** In the fragment of the Mini App's address, each messenger has its own name for the signed data. */
const fields = { telegram: 'tgWebAppData', max: 'WebAppData' } as const;

/** What a messenger does when a user opens the bot's Mini App: it signs the user and the start parameter. */
export function openMiniApp(
  { channel, bot }: ChannelState,
  user: SimUser,
  start: string,
  serviceUrl: string,
): { url: string; init_data: string } {
  const values = {
    auth_date: String(Math.floor(Date.now() / 1000)),
    query_id: randomBytes(12).toString('base64url'),
    start_param: start,
    user: JSON.stringify({
      id: user.id,
      first_name: user.firstName,
      ...(user.username === null ? {} : { username: user.username }),
      ...(user.languageCode === null ? {} : { language_code: user.languageCode }),
    }),
  };
  const signedText = Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('\n');
  const key = createHmac('sha256', 'WebAppData').update(bot.token).digest();
  const hash = createHmac('sha256', key).update(signedText).digest('hex');
  const initData = new URLSearchParams({ ...values, hash }).toString();
  const fragment = new URLSearchParams({ [fields[channel]]: initData });
  return { url: `${serviceUrl}/mini#${fragment.toString()}`, init_data: initData };
}
