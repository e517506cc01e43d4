import { metrics } from '../../base/lib/metrics';
import type { Messenger } from './messenger';
import { PlatformError } from './platform-error';

/** Counts and times a messenger's calls. Long polls are not timed, because they spend their time waiting. */
export function withCallMetrics(messenger: Messenger): Messenger {
  const { channel } = messenger;
  async function count<T>(call: string, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    let result = 'ok';
    try {
      return await work();
    } catch (error) {
      result = error instanceof PlatformError ? error.reason : 'unknown';
      throw error;
    } finally {
      metrics.platformCalls.inc({ channel, call, result });
      if (call !== 'poll') {
        metrics.platformCallSeconds.observe({ channel, call }, (performance.now() - started) / 1000);
      }
    }
  }
  return {
    ...messenger,
    send: (...args) => count('send', () => messenger.send(...args)),
    edit: (...args) => count('edit', () => messenger.edit(...args)),
    answerTap: (...args) => count('answer', () => messenger.answerTap(...args)),
    openFile: (...args) => count('file', () => messenger.openFile(...args)),
    poll: (...args) => count('poll', () => messenger.poll(...args)),
  };
}
