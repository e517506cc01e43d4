import type { Messenger } from './messenger';
import { PlatformError } from './platform-error';
import type { BotStatus } from './queries/own-bots';

/** A single failed call is not an outage. */
const FAILURES_AWAY = 2;

/** Reports what the calls of a bot say about it. `error` is the platform's text; null while it is connected. */
export function withStatus(
  messenger: Messenger,
  report: (status: BotStatus, error: string | null) => void,
): Messenger {
  let failures = 0;

  async function watch<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      const result = await work();
      failures = 0;
      report('connected', null);
      return result;
    } catch (error) {
      // Aborted by this process, which says nothing about the platform.
      if (error instanceof PlatformError && !signal?.aborted) failed(error);
      throw error;
    }
  }

  function failed({ reason, platformText }: PlatformError): void {
    failures = reason === 'platform_unavailable' ? failures + 1 : 0;
    if (reason === 'bot_banned' || failures >= FAILURES_AWAY) report('away', platformText);
    else if (failures === 0) report('connected', null);
  }

  return {
    ...messenger,
    send: (...args) => watch(() => messenger.send(...args)),
    edit: (...args) => watch(() => messenger.edit(...args)),
    answerTap: (...args) => watch(() => messenger.answerTap(...args)),
    openFile: (...args) => watch(() => messenger.openFile(...args)),
    check: () => watch(() => messenger.check()),
    setWebhook: (...args) => watch(() => messenger.setWebhook(...args)),
    deleteWebhook: () => watch(() => messenger.deleteWebhook()),
    webhookState: () => watch(() => messenger.webhookState()),
    poll: (position, signal) => watch(() => messenger.poll(position, signal), signal),
  };
}
