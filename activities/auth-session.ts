import type { Core } from '../src/base/core';
import { onBehalfOf } from '../src/base/db/project-share';
import { askRecipients } from '../src/domains/login/ask';
import { showSessionOutcome } from '../src/domains/login/outcome';
import { expireCode } from '../src/domains/login/expire-code';
import { settleAndShow, settleSession } from '../src/domains/login/settle';
import { reported } from './failures';

export interface SessionRef {
  sessionId: string;
  projectId: string;
}

export type AuthSessionActivities = ReturnType<typeof createAuthSessionActivities>;

/** The activities of the `authSession` workflow. Each is safe to repeat. */
export function createAuthSessionActivities(core: Core) {
  const onSession = <Result>(act: (core: Core, sessionId: string) => Promise<Result>) =>
    reported(({ sessionId, projectId }: SessionRef) => onBehalfOf(projectId, () => act(core, sessionId)));
  return {
    settleSession: onSession(settleSession),
    settleAndShow: onSession(settleAndShow),
    askRecipients: onSession(askRecipients),
    showOutcome: onSession(showSessionOutcome),
    expireCode: onSession(expireCode),
  };
}
