import type pg from 'pg';
import { pollSessions, type SessionView } from './queries/status';
import { createGatherer } from '../lib/batch';

/** Polls that one statement answers at most. */
const TOGETHER = 50;

export type PollSession = (projectId: string, sessionId: string) => Promise<SessionView | null>;

/** Counts and answers polls. Those that arrive while a statement is under way share the next one. */
export function createSessionPoller(pool: pg.Pool): PollSession {
  const poll = createGatherer<{ projectId: string; sessionId: string }, SessionView | null>(
    async (_all, polls) => {
      const found = new Map((await pollSessions(pool, polls)).map((view) => [view.id, view]));
      return polls.map(({ sessionId }) => found.get(sessionId) ?? null);
    },
    // The second poll of a session must find the first one counted.
    { most: TOGETHER, mark: ({ sessionId }) => sessionId },
  );
  return (projectId, sessionId) => poll('all', { projectId, sessionId });
}
