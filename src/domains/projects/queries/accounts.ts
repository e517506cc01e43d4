import type { Channel, Language } from '../../../base/contract/common';
import type { Db } from '../../../base/db/pool';
import { row } from '../../../base/db/query';

/** A row of `accounts`: a person who uses the dashboard. */
export interface Account {
  id: string;
  channel: Channel;
  platform_user_id: string;
  chat_id: string;
  first_name: string;
  username: string | null;
  lang: Language;
}

const COLUMNS = 'id, channel, platform_user_id, chat_id, first_name, username, lang';

/** The account of a messenger user, created on their first sign-in or invitation; names follow the messenger. */
export async function upsertAccount(db: Db, user: Omit<Account, 'id'>): Promise<Account> {
  const account = await row<Account>(
    db,
    'upsert_account',
    `INSERT INTO accounts (channel, platform_user_id, chat_id, first_name, username, lang)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (channel, platform_user_id) DO UPDATE SET chat_id = excluded.chat_id,
       first_name = excluded.first_name, username = excluded.username, lang = excluded.lang, seen_at = now()
     RETURNING ${COLUMNS}`,
    [user.channel, user.platform_user_id, user.chat_id, user.first_name, user.username, user.lang],
  );
  if (!account) throw new Error('the account was not inserted');
  return account;
}

export function findAccount(db: Db, channel: Channel, platformUserId: string): Promise<Account | null> {
  return row<Account>(
    db,
    'find_account',
    `SELECT ${COLUMNS} FROM accounts WHERE channel = $1 AND platform_user_id = $2`,
    [channel, platformUserId],
  );
}

/** Limits that count the projects of an account are checked under this lock. */
export function lockAccount(db: Db, id: string): Promise<Account | null> {
  return row<Account>(db, 'lock_account', `SELECT ${COLUMNS} FROM accounts WHERE id = $1 FOR NO KEY UPDATE`, [
    id,
  ]);
}
