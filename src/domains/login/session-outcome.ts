import type { SessionRecord } from './contract';

/** The outcome for people: a login that the user confirmed is not called expired, because it was charged. */
export function sessionOutcome({ status, purpose }: Pick<SessionRecord, 'status' | 'purpose'>): string {
  if (purpose === 'approval' && status === 'consumed') return 'approved';
  return status === 'unredeemed' ? 'confirmed, code not redeemed' : status;
}
