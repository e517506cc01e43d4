import type { SessionRecord } from './contract';

/** The outcome for people: a login that the user confirmed is not called expired, because it was charged. */
export function sessionOutcome({ status, confirmed }: Pick<SessionRecord, 'status' | 'confirmed'>): string {
  return status === 'expired' && confirmed ? 'confirmed, code not redeemed' : status;
}
