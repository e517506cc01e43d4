import { createHmac } from 'node:crypto';

/** Both platforms derive the key of a Mini App's data from the bot's token in this way. */
export function initDataKeyOf(token: string): Buffer {
  return createHmac('sha256', 'WebAppData').update(token).digest();
}
