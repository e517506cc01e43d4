import type { SessionStatusBody } from './contract';
import { returnUrl } from './contract';
import { limits } from '../contract/limits';
import type { Cipher } from '../lib/cipher';
import type { SessionView } from './queries/status';

/** A session as the status poll and the hosted page show it. */
export function presentStatus(view: SessionView, cipher: Cipher): SessionStatusBody {
  const base = { expires_in: view.expires_in, interval: limits.authPollRecommendedSeconds };
  if (view.status === 'declined') {
    return { status: 'declined', reason: view.decline_reason ?? 'user', ...base };
  }
  if (view.status !== 'confirmed') return { status: view.status, ...base };
  // For the type only: a code is erased by the statement that ends the session's `confirmed`.
  if (view.code_sealed === null) return { status: 'consumed', ...base, expires_in: 0 };
  const code = cipher.decrypt(view.code_sealed, 'auth_code', view.id);
  return {
    status: 'confirmed',
    code,
    state: view.state,
    redirect_url: view.return_base === null ? null : returnUrl(view.return_base, code, view.state),
    ...base,
  };
}
