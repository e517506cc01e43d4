import { setTimeout as sleep } from 'node:timers/promises';

/** Pages of one project that a process runs at once. */
const PAGES = 20;
/** Between two claims of a project through one bot, however many of its jobs run. */
const CLAIM_MS = 100;

interface Runs {
  pages: number;
  /** A page was refused since the last one ended. */
  isWanted: boolean;
  /** By bot. */
  nextClaimAt: Map<string, number>;
}

/** The pages that this process runs, by project. */
const runs = new Map<string, Runs>();

export interface ProjectRun {
  /** Resolves when the run may claim: the jobs of a project take turns, and many cost no more than one. */
  turn(bot: string): Promise<void>;
  /** Returns whether another job of the project waits for a page. */
  leave(): boolean;
}

/** Null if the project has as many pages as one may have: slots are left for others. */
export function enterProject(projectId: string): ProjectRun | null {
  const own = runs.get(projectId) ?? { pages: 0, isWanted: false, nextClaimAt: new Map<string, number>() };
  if (own.pages >= PAGES) {
    own.isWanted = true;
    return null;
  }
  own.pages += 1;
  runs.set(projectId, own);
  return {
    async turn(bot) {
      const now = performance.now();
      const at = Math.max(now, own.nextClaimAt.get(bot) ?? 0);
      own.nextClaimAt.set(bot, at + CLAIM_MS);
      if (at > now) await sleep(at - now);
    },
    leave() {
      const { isWanted } = own;
      own.isWanted = false;
      own.pages -= 1;
      if (own.pages === 0) runs.delete(projectId);
      return isWanted;
    },
  };
}
