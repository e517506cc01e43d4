import type { RequestStatusBody, SessionStatusBody } from './contract';
import { returnUrl } from './contract';
import { formatSubscriberId, type SubscriberIdFormat } from '../../base/contract/ids';
import { limits } from '../../base/contract/limits';
import { isoTimeOrNull } from '../../base/lib/iso-time';
import type { Cipher } from '../../base/lib/cipher';
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

/** An approval as its poll shows it. With the purpose `login` it is `expired` if its code was not redeemed in time. */
export function presentRequest(
  view: SessionView,
  cipher: Cipher,
  format: SubscriberIdFormat,
): RequestStatusBody {
  const base = {
    request_id: view.id,
    subscriber_id: view.subscriber_id && formatSubscriberId(view.subscriber_id, format),
    decided_at: isoTimeOrNull(view.decided_at),
    expires_in: view.expires_in,
  };
  switch (view.status) {
    case 'declined':
      return {
        status: 'declined',
        ...(view.decline_reason === 'billing_blocked' ? { reason: view.decline_reason } : {}),
        ...base,
      };
    case 'confirmed':
    case 'consumed':
      if (view.code_sealed === null || view.state === null) return { status: 'approved', ...base };
      return {
        status: 'approved',
        code: cipher.decrypt(view.code_sealed, 'auth_code', view.id),
        state: view.state,
        ...base,
      };
    default:
      return { status: view.status, ...base };
  }
}
