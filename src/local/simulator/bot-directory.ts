import type { ChannelState, UserActions } from './channel-state';

/** A bot of one channel, with chats of its own. */
export interface SimBot {
  state: ChannelState;
  actions: UserActions;
}

/** Simulates a token that the platform refuses. */
const REVOKED = /revoked/i;

/**
 * The bots of one channel. The shared one exists from the start; every other token is a bot that appears with its first
 * call. Bots live in memory: after a restart they appear again when Herald calls them.
 */
export class BotDirectory {
  private readonly byToken = new Map<string, SimBot>();
  private readonly replaced = new Set<string>();

  constructor(
    readonly shared: SimBot,
    private readonly create: (token: string, number: number) => SimBot,
  ) {}

  /** The bot with that token; null for a token of no bot. */
  find(token: string): SimBot | null {
    const { bot } = this.shared.state;
    if (token === bot.token) return this.shared;
    const known = this.byToken.get(token);
    if (known) return known;
    const hasSharedId = idIn(token) !== null && idIn(token) === idIn(bot.token);
    if (hasSharedId || REVOKED.test(token) || this.replaced.has(token)) return null;
    return this.open(token);
  }

  isNew(token: string): boolean {
    return token !== this.shared.state.bot.token && !this.byToken.has(token);
  }

  /** By username; the shared bot without one. */
  named(username: string | null): SimBot | null {
    if (username === null || username === this.shared.state.bot.username) return this.shared;
    return this.all().find(({ state }) => state.bot.username === username) ?? null;
  }

  all(): SimBot[] {
    return [this.shared, ...new Set(this.byToken.values())];
  }

  async stop(): Promise<void> {
    await Promise.all(this.all().map(({ state }) => state.stop()));
  }

  /** A new token of a bot that is known, by its id, replaces the old one. */
  private open(token: string): SimBot {
    const earlier = [...this.byToken].find(([known]) => idIn(token) !== null && idIn(known) === idIn(token));
    if (earlier) {
      this.byToken.delete(earlier[0]);
      this.replaced.add(earlier[0]);
    }
    const bot = earlier?.[1] ?? this.create(token, this.byToken.size + 1);
    this.byToken.set(token, bot);
    return bot;
  }
}

/** A Telegram token begins with the bot's id. */
function idIn(token: string): string | null {
  return /^(\d{1,16}):/.exec(token)?.[1] ?? null;
}
