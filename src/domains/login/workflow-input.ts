import type { SessionFlow } from './contract';

/** Ids only, because operators can read histories. */
export interface AuthSessionInput {
  sessionId: string;
  projectId: string;
  flow: SessionFlow;
  /** Until the session expires. */
  waitMs: number;
}

/** `workflows/auth-session.ts` */
export type AuthSessionWorkflow = (input: AuthSessionInput) => Promise<unknown>;
