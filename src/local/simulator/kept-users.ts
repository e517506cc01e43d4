import { readFile } from 'node:fs/promises';
import { writeJson } from '../write-json';
import type { BotDirectory } from './bot-directory';
import type { ChannelName } from './channel-state';
import type { SimUser } from './users';

const SAVE_MS = 1_000;

type UsersByBot = Record<string, readonly SimUser[]>;
type Kept = Partial<Record<ChannelName, UsersByBot>>;

/** The people whom the bots know, by the names of the bots. Without the file, or if it is damaged, there are none. */
export async function readKeptUsers(file: string): Promise<Kept> {
  try {
    return (JSON.parse(await readFile(file, 'utf8')) as Kept | null) ?? {};
  } catch {
    return {};
  }
}

/**
 * Writes the people whom the bots know to a file, once a second if they have changed: after a restart of the demo its subscribers
 * can still be written to. Returns what ends it.
 */
export function keepUsers(
  file: string,
  bots: Record<ChannelName, BotDirectory>,
  earlier: Kept,
  log: (msg: string) => void,
): () => void {
  let saved = '';
  const save = () => {
    const kept: Kept = {
      telegram: known(bots.telegram, earlier.telegram),
      max: known(bots.max, earlier.max),
    };
    const text = JSON.stringify(kept);
    if (text === saved) return;
    try {
      writeJson(file, kept);
      saved = text;
    } catch (error) {
      log(`simulator: its users were not saved: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const timer = setInterval(save, SAVE_MS);
  return () => {
    clearInterval(timer);
    save();
  };
}

/** A bot of a project appears with its first call: until then its users stay as they were. */
function known(bots: BotDirectory, earlier: UsersByBot = {}): UsersByBot {
  const now = bots.all().map(({ state }) => [state.bot.username, [...state.userStore.all()]] as const);
  return { ...earlier, ...Object.fromEntries(now) };
}
