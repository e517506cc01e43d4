/** Pages of one project that a process runs at once. */
const PAGES = 20;
/** Between two claims of a project through one bot, however many of its jobs run. */
const CLAIM_MS = 100;

interface Runs {
  pages: number;
  /** A page was refused since the last one ended. */
  isWanted: boolean;
}

/** The pages that this process runs, by project. */
const runs = new Map<string, Runs>();

export interface ProjectRun {
  /** The pause of a page after a claim: with it, many jobs of a project make no more claims than one. */
  pauseMs(): number;
  /** Returns whether another job of the project waits for a page. */
  leave(): boolean;
}

/** Null if the project has as many pages as one may have: slots are left for others. */
export function enterProject(projectId: string): ProjectRun | null {
  const own = runs.get(projectId) ?? { pages: 0, isWanted: false };
  if (own.pages >= PAGES) {
    own.isWanted = true;
    return null;
  }
  own.pages += 1;
  runs.set(projectId, own);
  return {
    pauseMs: () => CLAIM_MS * own.pages,
    leave() {
      const { isWanted } = own;
      own.isWanted = false;
      own.pages -= 1;
      if (own.pages === 0) runs.delete(projectId);
      return isWanted;
    },
  };
}
