import type { ChatHandlers } from '../bots';
import type { Core } from '../../base/core';
import { createLoginAnswers } from './answers';
import { createLoginQuestions } from './question';
import { parseAnswer } from './tap-data';
import type { SessionStarter } from './workflow-client';

/** Logins in the chat: an opened link leads to a question, a tap on Yes or No to an answer. */
export function loginChat(
  deps: Pick<Core, 'pool' | 'config' | 'cipher' | 'messengers' | 'log'> & { starter: SessionStarter },
): ChatHandlers {
  const { openSession, openStatic } = createLoginQuestions(deps);
  const answer = createLoginAnswers(deps);
  return {
    links: { session: openSession, staticLink: openStatic },
    async tap(tap) {
      const parsed = parseAnswer(tap.data);
      if (!parsed) return false;
      await answer(tap, parsed.answer, parsed.nonce);
      return true;
    },
  };
}
