import type { Channel, Language } from '../../base/contract/common';
import type { Core } from '../../base/core';
import { createSlot } from '../../base/lib/registry';

/** The texts that a project may word itself. Questions, codes and buttons are never among them. */
export type ProjectTextName = 'welcome' | 'help' | 'after_login';

/** The user who reads a text. */
export interface Reader {
  channel: Channel;
  platform_user_id: string;
  first_name?: string | undefined;
  username?: string | null | undefined;
  lang: Language;
}

/** A text in the project's own words for a user; null: the bot's own. `templates` registers this. */
export type FindProjectText = (
  core: Pick<Core, 'pool' | 'config'>,
  name: ProjectTextName,
  projectId: string,
  reader: Reader,
) => Promise<string | null>;
export const projectText = createSlot<FindProjectText>('projectText');
