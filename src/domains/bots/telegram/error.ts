import { TelegramError } from 'telegraf';
import type { FailureReason } from '../../events/contract';
import { noResponse, PlatformError } from '../platform-error';

/** Texts of a 400 or 403 for a chat that does not exist or has no user. */
const CHAT_GONE =
  /chat not found|user not found|user is deactivated|peer_id_invalid|group chat was deactivated|can't initiate conversation/i;

export function toTelegramPlatformError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  if (!(error instanceof TelegramError)) return noResponse(error);
  const { code: status, description } = error;
  const seconds = error.parameters?.retry_after;
  return new PlatformError(reasonOf(status, description), description, {
    status,
    retryAfterMs: seconds === undefined ? null : seconds * 1000,
  });
}

function reasonOf(status: number, description: string): FailureReason {
  if (status === 429) return 'rate_limited';
  // 409: another poller or a webhook receives the updates, which is transient.
  if (status >= 500 || status === 409) return 'platform_unavailable';
  if ((status === 400 || status === 403) && CHAT_GONE.test(description)) return 'chat_not_found';
  if (status === 403) return 'user_blocked_bot';
  if (status === 400 || status === 413) return 'invalid_message';
  // 401: the token was revoked; 404: it never existed.
  if (status === 401 || status === 404) return 'bot_banned';
  return 'unknown';
}
