import type { Logger } from '../../base/lib/log';
import type { Leader } from './leader';
import type { Messenger } from './messenger';
import type { OwnBot, OwnBots } from './own-bots';

interface OwnBotUpdates {
  stop(): Promise<void>;
}

interface Receiving {
  messenger: Messenger;
  leader: Leader;
}

/** Receives the updates of each own bot for as long as it is connected, anew when its token was replaced. */
export function receiveOwnBotUpdates(
  own: Pick<OwnBots, 'all' | 'onChange'>,
  receive: (bot: OwnBot) => Leader,
  log: Logger,
): OwnBotUpdates {
  const receiving = new Map<string, Receiving>();
  let isStopped = false;
  let adjusting: Promise<void> = Promise.resolve();

  async function end(bot: string): Promise<void> {
    const ended = receiving.get(bot);
    receiving.delete(bot);
    await ended?.leader.stop();
  }

  async function adjust(): Promise<void> {
    if (isStopped) return;
    const connected = new Map(own.all().map((bot) => [bot.bot, bot]));
    const outdated = [...receiving].filter(
      ([bot, { messenger }]) => connected.get(bot)?.messenger !== messenger,
    );
    // A leader that is stopped holds its lock until its work has ended, so the next one waits for it.
    await Promise.all(outdated.map(([bot]) => end(bot)));
    for (const [key, bot] of connected) {
      if (receiving.has(key)) continue;
      receiving.set(key, { messenger: bot.messenger, leader: receive(bot) });
    }
  }

  function adjustNext(): void {
    adjusting = adjusting
      .then(adjust)
      .catch((err: unknown) => log.error({ err }, 'the own bots of projects could not be adjusted'));
  }

  adjustNext();
  const unsubscribe = own.onChange(adjustNext);
  return {
    async stop() {
      isStopped = true;
      unsubscribe();
      await adjusting;
      await Promise.all([...receiving.keys()].map(end));
    },
  };
}
