import type { Db } from '../../../base/db/pool';
import { change, row } from '../../../base/db/query';

const HOUR = `interval '1 hour'`;

/** Seconds until the subscriber may get another code; null if it may get one now. */
export async function otpWindowWait(
  db: Db,
  subscriberId: string,
  maxPerHour: number,
): Promise<number | null> {
  const blocking = await row<{ wait: number }>(
    db,
    'otp_window',
    `SELECT extract(epoch FROM created_at + ${HOUR} - clock_timestamp())::float8 AS wait FROM otp_codes
     WHERE subscriber_id = $1 AND created_at > clock_timestamp() - ${HOUR}
     ORDER BY created_at DESC OFFSET $2 - 1 LIMIT 1`,
    [subscriberId, maxPerHour],
  );
  return blocking ? Math.max(1, Math.ceil(blocking.wait)) : null;
}

export function insertOtp(
  db: Db,
  code: { id: string; subscriberId: string; purpose: string; hash: Buffer; maxAttempts: number },
): Promise<number> {
  return change(
    db,
    'insert_otp',
    `INSERT INTO otp_codes (id, subscriber_id, purpose, code_hash, max_attempts) VALUES ($1, $2, $3, $4, $5)`,
    [code.id, code.subscriberId, code.purpose, code.hash, code.maxAttempts],
  );
}

/** Replaces a code that was not sent before the service stopped. */
export function replaceOtpHash(db: Db, id: string, hash: Buffer): Promise<number> {
  return change(
    db,
    'replace_otp_hash',
    `UPDATE otp_codes SET code_hash = $2 WHERE id = $1 AND status = 'sending'`,
    [id, hash],
  );
}

/** Removes a code that was not sent, so that it does not count. */
export function removeOtp(db: Db, id: string): Promise<number> {
  return change(db, 'remove_otp', `DELETE FROM otp_codes WHERE id = $1 AND status = 'sending'`, [id]);
}

/**
 * Makes the code the active one of its purpose and replaces the previous one. The caller holds the subscriber's row
 * lock.
 */
export async function activateOtp(
  db: Db,
  code: { id: string; subscriberId: string; purpose: string; ttlMinutes: number },
): Promise<void> {
  await change(
    db,
    'replace_otp',
    `UPDATE otp_codes SET status = 'replaced' WHERE subscriber_id = $1 AND purpose = $2 AND status = 'active'`,
    [code.subscriberId, code.purpose],
  );
  await change(
    db,
    'activate_otp',
    `UPDATE otp_codes SET status = 'active', expires_at = clock_timestamp() + make_interval(mins => $2) WHERE id = $1`,
    [code.id, code.ttlMinutes],
  );
}

interface OtpAttempt {
  verified: boolean;
  attempts_left: number;
  attempted_at: Date;
}

/**
 * Compares, counts and ends an attempt in one statement, so that concurrent attempts cannot exceed the maximum. Returns
 * null if there is no active code.
 */
export function attemptOtp(
  db: Db,
  guess: { subscriberId: string; purpose: string; hash: Buffer },
): Promise<OtpAttempt | null> {
  return row<OtpAttempt>(
    db,
    'attempt_otp',
    `UPDATE otp_codes SET attempts = attempts + 1,
       status = CASE WHEN code_hash = $3 THEN 'verified' WHEN attempts + 1 >= max_attempts THEN 'exhausted' ELSE 'active' END
     WHERE subscriber_id = $1 AND purpose = $2 AND status = 'active' AND expires_at > clock_timestamp()
     RETURNING status = 'verified' AS verified, max_attempts - attempts AS attempts_left, clock_timestamp() AS attempted_at`,
    [guess.subscriberId, guess.purpose, guess.hash],
  );
}
