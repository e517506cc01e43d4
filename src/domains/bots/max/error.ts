import { MaxError } from '@maxhub/max-bot-api';
import type { FailureReason } from '../../events/contract';
import { noResponse, PlatformError } from '../platform-error';

/** The library's own status for an upload whose connection failed. */
const UPLOAD_ABORTED = 499;

export function toMaxPlatformError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  if (!(error instanceof MaxError)) return noResponse(error);
  const {
    status,
    code = '',
    description = '',
  } = error as { status: number; code?: string; description?: string };
  return new PlatformError(
    reasonOf(status, code, description),
    [code, description].filter(Boolean).join(': '),
    {
      status,
    },
  );
}

function reasonOf(status: number, code: string, text: string): FailureReason {
  if (status === 429) return 'rate_limited';
  // `attachment.not.ready`: MAX is still processing the upload, so a retry will succeed.
  if (status >= 500 || status === UPLOAD_ABORTED || code === 'attachment.not.ready') {
    return 'platform_unavailable';
  }
  if (status === 401) return 'bot_banned';
  if (status === 403) {
    return code === 'chat.denied' || /suspended|blocked/i.test(text) ? 'user_blocked_bot' : 'unknown';
  }
  if (status === 404) {
    return /message|callback/i.test(`${code} ${text}`) ? 'invalid_message' : 'chat_not_found';
  }
  if (status === 400 || status === 413) return 'invalid_message';
  return 'unknown';
}
