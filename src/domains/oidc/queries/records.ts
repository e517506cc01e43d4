import type { Db } from '../../../base/db/pool';
import { change, row } from '../../../base/db/query';

interface OidcRecord {
  payload: Record<string, unknown>;
  consumed: boolean;
}

interface NewRecord {
  model: string;
  idHash: Buffer;
  payload: Record<string, unknown>;
  grantId: string | null;
  accountId: string | null;
  userCode: string | null;
  expiresIn: number;
}

/** An expired record is returned too: the provider tells an expired code from an unknown one. */
export function findRecord(db: Db, model: string, idHash: Buffer): Promise<OidcRecord | null> {
  return row<OidcRecord>(
    db,
    'find_oidc_record',
    `SELECT payload, consumed_at IS NOT NULL AS consumed FROM oidc_records WHERE model = $1 AND id_hash = $2`,
    [model, idHash],
  );
}

/** The use of a record is not part of its payload, so that saving a record again cannot undo it. */
export function saveRecord(db: Db, record: NewRecord): Promise<number> {
  return change(
    db,
    'save_oidc_record',
    `INSERT INTO oidc_records (model, id_hash, payload, grant_id, account_id, user_code, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => $7))
     ON CONFLICT (model, id_hash) DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id,
       account_id = excluded.account_id, user_code = excluded.user_code, expires_at = excluded.expires_at`,
    [
      record.model,
      record.idHash,
      JSON.stringify(record.payload),
      record.grantId,
      record.accountId,
      record.userCode,
      record.expiresIn,
    ],
  );
}

/** Makes a grant live as long as its newest refresh token. `exp` is in seconds since 1970. */
export function extendGrant(db: Db, grantHash: Buffer, exp: number): Promise<number> {
  return change(
    db,
    'extend_oidc_grant',
    `UPDATE oidc_records SET payload = payload || jsonb_build_object('exp', $2::bigint), expires_at = to_timestamp($2::bigint)
     WHERE model = 'Grant' AND id_hash = $1 AND expires_at < to_timestamp($2::bigint)`,
    [grantHash, exp],
  );
}

/** Returns null if the record was used before: of any number of concurrent uses one is the first. */
export function consumeRecord(
  db: Db,
  model: string,
  idHash: Buffer,
): Promise<{ grant_id: string | null } | null> {
  return row<{ grant_id: string | null }>(
    db,
    'consume_oidc_record',
    `UPDATE oidc_records SET consumed_at = clock_timestamp()
     WHERE model = $1 AND id_hash = $2 AND consumed_at IS NULL RETURNING grant_id`,
    [model, idHash],
  );
}

/** Keeps the newest used refresh tokens of a grant, by which a second use is noticed. */
export function removeUsedRefreshTokens(db: Db, grantId: string, kept: number): Promise<number> {
  return change(
    db,
    'remove_used_refresh_tokens',
    `DELETE FROM oidc_records WHERE model = 'RefreshToken' AND id_hash IN (
       SELECT id_hash FROM oidc_records
       WHERE grant_id = $1 AND model = 'RefreshToken' AND consumed_at IS NOT NULL
       ORDER BY consumed_at DESC OFFSET $2)`,
    [grantId, kept],
  );
}

export function deleteRecord(db: Db, model: string, idHash: Buffer): Promise<number> {
  return change(db, 'delete_oidc_record', 'DELETE FROM oidc_records WHERE model = $1 AND id_hash = $2', [
    model,
    idHash,
  ]);
}

export function deleteRecordsOfGrant(db: Db, model: string, grantId: string): Promise<number> {
  return change(
    db,
    'delete_oidc_records_of_grant',
    'DELETE FROM oidc_records WHERE model = $1 AND grant_id = $2',
    [model, grantId],
  );
}

/** Ends a grant with every code and token that came from it. */
export function revokeGrant(db: Db, grantId: string, grantHash: Buffer): Promise<number> {
  return change(
    db,
    'revoke_oidc_grant',
    `DELETE FROM oidc_records WHERE grant_id = $1 OR (model = 'Grant' AND id_hash = $2)`,
    [grantId, grantHash],
  );
}

interface WaitingDevice extends OidcRecord {
  id_hash: Buffer;
  expired: boolean;
}

export function findDeviceByUserCode(db: Db, userCode: string): Promise<WaitingDevice | null> {
  return row<WaitingDevice>(
    db,
    'find_oidc_device',
    `SELECT id_hash, payload, consumed_at IS NOT NULL AS consumed, expires_at <= clock_timestamp() AS expired
     FROM oidc_records WHERE user_code = $1`,
    [userCode],
  );
}

/**
 * Counts a poll of a device. Returns false if it comes too early; such a poll does not move the window. The tolerance is
 * for clients that sleep for exactly the interval.
 */
export async function countDevicePoll(db: Db, idHash: Buffer, seconds: number): Promise<boolean> {
  const counted = await change(
    db,
    'count_oidc_device_poll',
    `UPDATE oidc_records SET polled_at = clock_timestamp()
     WHERE model = 'DeviceCode' AND id_hash = $1
       AND (polled_at IS NULL OR polled_at <= clock_timestamp() - make_interval(secs => $2 - 0.5))`,
    [idHash, seconds],
  );
  return counted > 0;
}
