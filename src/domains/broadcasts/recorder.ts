import type pg from 'pg';
import type { Core } from '../../base/core';
import { withTransaction } from '../../base/db/pool';
import { type NewEvent, emitEvents } from '../events';
import { createBatcher } from '../../base/lib/batch';
import { deliveryFailed, deliverySuccess } from '../messages';
import { markBlocked } from '../subscribers';
import type { ClaimedRecipient } from './queries/claims';
import { recordRecipients, type RecipientResult } from './queries/results';
import { type BroadcastRun, type Sender, senderKey } from './queries/runs';
import { retryWrite } from './retry-write';

export interface SettledRecipient {
  recipient: ClaimedRecipient;
  sender: Sender;
  result: RecipientResult;
}

/** Writes results with their events. */
export interface BroadcastRecorder {
  /** In batches: results that arrive during one write share the next. */
  write(settled: SettledRecipient): Promise<void>;
  /** In the caller's transaction. */
  writeIn(db: pg.PoolClient, batch: SettledRecipient[]): Promise<void>;
}

const BATCH_ROWS = 200;

export function createBroadcastRecorder(
  { pool, config, log }: Pick<Core, 'pool' | 'config' | 'log'>,
  run: BroadcastRun,
): BroadcastRecorder {
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;

  function eventOf({ recipient, sender, result }: SettledRecipient, at: Date): NewEvent | null {
    const named = { ...recipient, channel: sender.channel };
    if (result.status === 'queued') return null;
    return result.status === 'sent'
      ? { name: 'delivery.success', data: deliverySuccess(named, recipient.id, at, format) }
      : { name: 'delivery.failed', data: deliveryFailed(named, result, at, format) };
  }

  async function writeIn(db: pg.PoolClient, batch: SettledRecipient[]): Promise<void> {
    const { ids, at } = await recordRecipients(
      db,
      run,
      batch.map((settled) => settled.result),
    );
    const recorded = batch.filter(({ result }) => ids.has(result.id));
    const events = recorded.map((settled) => eventOf(settled, at)).filter((event) => event !== null);
    await emitEvents(db, run.projectId, events, { bulk: true });
    for (const { recipient, sender, result } of recorded) {
      if (result.status !== 'failed' || result.reason !== 'user_blocked_bot') continue;
      const { platform_user_id } = recipient;
      await markBlocked(db, { channel: sender.channel, bot: senderKey(sender), platform_user_id }, format);
    }
  }

  const write = (batch: SettledRecipient[]) =>
    retryWrite(log, run.id, () => withTransaction(pool, (db) => writeIn(db, batch)));
  const batcher = createBatcher(write, { size: BATCH_ROWS });
  return { write: (settled) => batcher.write(settled), writeIn };
}
