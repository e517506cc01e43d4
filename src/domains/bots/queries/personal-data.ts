import type { PersonalData } from '../../../base/db/personal-data';
import { change } from '../../../base/db/query';
import { ofBot } from './updates';

export const personalData: PersonalData = {
  // Of the bot, not of a project: not shown.
  tables: { bot_updates: { removal: 'erase' } },
  /**
   * Handled updates name no user. Updates that wait are handled first, because they may concern another project of the
   * same bot; those that were set aside are deleted.
   */
  async erase(db, { channel, platform_user_id, bot }) {
    await change(
      db,
      'erase_set_aside_updates',
      `DELETE FROM bot_updates WHERE set_aside_at IS NOT NULL AND channel = $1 AND chat_queue = ANY ($2::text[])`,
      [channel, [null, bot].map((each) => ofBot(each, `user:${platform_user_id}`))],
    );
  },
};
