import type { Db } from '../../db/pool';
import { change, row } from '../../db/query';

const HOUR = `interval '1 hour'`;

/** Seconds until the oldest of the hour's codes leaves the window, or null where there is room for one more. */
export async function otpWindowWait(
  db: Db,
  subscriberId: string,
  mostPerHour: number,
): Promise<number | null> {
  const blocking = await row<{ wait: number }>(
    db,
    'otp_window',
    `SELECT extract(epoch FROM created_at + ${HOUR} - clock_timestamp())::float8 AS wait FROM otp_codes
     WHERE subscriber_id = $1 AND created_at > clock_timestamp() - ${HOUR}
     ORDER BY created_at DESC OFFSET $2 - 1 LIMIT 1`,
    [subscriberId, mostPerHour],
  );
  return blocking ? Math.max(1, Math.ceil(blocking.wait)) : null;
}

export async function insertOtp(
  db: Db,
  code: { subscriberId: string; purpose: string; hash: Buffer; maxAttempts: number },
): Promise<string> {
  const inserted = await row<{ id: string }>(
    db,
    'insert_otp',
    `INSERT INTO otp_codes (subscriber_id, purpose, code_hash, max_attempts) VALUES ($1, $2, $3, $4) RETURNING id`,
    [code.subscriberId, code.purpose, code.hash, code.maxAttempts],
  );
  if (!inserted) throw new Error('the code was not inserted');
  return inserted.id;
}

/** A code that never reached anybody does not count. */
export function removeOtp(db: Db, id: string): Promise<number> {
  return change(db, 'remove_otp', `DELETE FROM otp_codes WHERE id = $1 AND status = 'sending'`, [id]);
}

/** From now on this is the code of its purpose; the one before it is not. The caller holds the subscriber's lock. */
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

export interface OtpTry {
  verified: boolean;
  attempts_left: number;
  tried_at: Date;
}

/**
 * One try at the active code: compares, counts and ends it in one statement, so that tries at once never exceed the
 * attempts. Null where there is no code to try.
 */
export function tryOtp(
  db: Db,
  guess: { subscriberId: string; purpose: string; hash: Buffer },
): Promise<OtpTry | null> {
  return row<OtpTry>(
    db,
    'try_otp',
    `UPDATE otp_codes SET attempts = attempts + 1,
       status = CASE WHEN code_hash = $3 THEN 'verified' WHEN attempts + 1 >= max_attempts THEN 'exhausted' ELSE 'active' END
     WHERE subscriber_id = $1 AND purpose = $2 AND status = 'active' AND expires_at > clock_timestamp()
     RETURNING status = 'verified' AS verified, max_attempts - attempts AS attempts_left, clock_timestamp() AS tried_at`,
    [guess.subscriberId, guess.purpose, guess.hash],
  );
}
