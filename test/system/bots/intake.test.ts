import { setTimeout as sleep } from 'node:timers/promises';
import { createPool } from '../../../src/base/db/pool';
import { removalsOf } from '../../../src/base/db/retention';
import { retention } from '../../../src/domains/bots/queries/retention';
import { claimBotUpdates, findBotPosition, storeBotUpdates } from '../../../src/domains/bots/queries/updates';
import { PlatformError } from '../../../src/domains/bots/platform-error';
import { SWEEP_MS, type StoredUpdate } from '../../../src/domains/bots/intake';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';
import { startIntake, telegramText, textOf, type RunningIntake } from './fixture';

let database: TestDatabase;
let running: RunningIntake[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(running.map((each) => each.stop()));
  running = [];
  await database.drop();
});

function start(...args: Parameters<typeof startIntake> extends [unknown, ...infer Rest] ? Rest : never) {
  const one = startIntake(database, ...args);
  running.push(one);
  return one.intake;
}

async function count(condition: string): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM bot_updates WHERE ${condition}`,
  );
  return rows[0]!.n;
}

const waiting = 'handled_at IS NULL AND set_aside_at IS NULL';

describe('updates of the messengers', () => {
  it('are handled once, however often they are delivered', async () => {
    const seen: StoredUpdate[] = [];
    const intake = start(async (update) => void seen.push(update));
    await intake.store('telegram', [telegramText(1, 5, 'hi'), telegramText(1, 5, 'hi')]);
    await Promise.all(Array.from({ length: 10 }, () => intake.store('telegram', [telegramText(1, 5, 'hi')])));
    await eventually(async () => (await count('handled_at IS NOT NULL')) === 1);
    await intake.store('telegram', [telegramText(1, 5, 'hi'), telegramText(2, 5, 'bye')]);
    await eventually(() => seen.length >= 2);
    expect(seen.map(textOf)).toEqual(['hi', 'bye']);
    expect(seen[0]).toMatchObject({ channel: 'telegram', parsed: { chatId: '5', user: { id: '5' } } });
    expect(seen[0]!.id).toBeLessThan(seen[1]!.id);
  });

  it('carry the time at which the database stored them', async () => {
    const seen: StoredUpdate[] = [];
    const intake = start(async (update) => void seen.push(update));
    await intake.store('telegram', [telegramText(1, 5, 'hi')]);
    await eventually(() => seen.length === 1);
    const { rows } = await database.pool.query<{ received_at: Date }>('SELECT received_at FROM bot_updates');
    expect(seen[0]!.receivedAt).toEqual(rows[0]!.received_at);
  });

  it('are handled in the platform’s order within a chat, one at a time, chats beside one another', async () => {
    const seen = new Map<string, number[]>();
    let busy = 0;
    let most = 0;
    const busyChats = new Set<string>();
    const handle = async (update: StoredUpdate) => {
      const { chatId } = update.parsed;
      expect(busyChats.has(chatId)).toBe(false);
      busyChats.add(chatId);
      busy += 1;
      most = Math.max(most, busy);
      await sleep(Math.random() * 5);
      seen.set(chatId, [...(seen.get(chatId) ?? []), Number(textOf(update))]);
      busyChats.delete(chatId);
      busy -= 1;
    };
    // Two processes at once.
    const intakes = [start(handle), start(handle)];
    const updates = Array.from({ length: 120 }, (_, i) => telegramText(i, 1 + (i % 6), String(i)));
    // Batches whose inside is out of order, and every batch delivered twice.
    for (let i = 0; i < updates.length; i += 30) {
      const batch = updates.slice(i, i + 30).reverse();
      await Promise.all(intakes.map((intake) => intake.store('telegram', batch)));
    }
    await eventually(async () => (await count(waiting)) === 0);
    expect([...seen.keys()]).toHaveLength(6);
    for (const [chat, order] of seen) {
      expect(order).toEqual(updates.map((_, i) => i).filter((i) => String(1 + (i % 6)) === chat));
    }
    expect(most).toBeGreaterThan(1);
  });

  it('that fail are handled again, and the later ones of the chat wait for them', async () => {
    const seen: string[] = [];
    let failures = 0;
    const intake = start(async (update) => {
      if (textOf(update) === 'first' && failures < 3) {
        failures += 1;
        throw new Error('not yet');
      }
      seen.push(`${update.parsed.chatId}:${textOf(update)}`);
    });
    await intake.store('telegram', [
      telegramText(1, 5, 'first'),
      telegramText(2, 5, 'second'),
      telegramText(3, 6, 'other chat'),
    ]);
    await eventually(() => seen.length === 3);
    expect(failures).toBe(3);
    expect(seen[0]).toBe('6:other chat');
    expect(seen.slice(1)).toEqual(['5:first', '5:second']);
  });

  it('that keep failing are set aside with their reason, and the chat continues', async () => {
    const seen: string[] = [];
    let tries = 0;
    const intake = start(
      async (update) => {
        if (textOf(update) !== 'poison') return void seen.push(textOf(update));
        tries += 1;
        throw new Error('cannot be handled');
      },
      { maxFailures: 3 },
    );
    await intake.store('telegram', [telegramText(1, 5, 'poison'), telegramText(2, 5, 'next')]);
    await eventually(() => seen.length === 1);
    expect(tries).toBe(3);
    const { rows } = await database.pool.query(
      'SELECT failures, last_error FROM bot_updates WHERE set_aside_at IS NOT NULL',
    );
    expect(rows).toEqual([{ failures: 3, last_error: 'Error: cannot be handled' }]);
  });

  it('wait for a platform that is unavailable without being set aside', async () => {
    let tries = 0;
    const intake = start(
      async () => {
        tries += 1;
        if (tries <= 5) throw new PlatformError('platform_unavailable', 'away', { retryAfterMs: 10 });
      },
      { maxFailures: 2 },
    );
    await intake.store('telegram', [telegramText(1, 5, 'hi')]);
    await eventually(async () => (await count('handled_at IS NOT NULL')) === 1);
    expect(tries).toBe(6);
  });

  it('come back when the process that held them has died', async () => {
    const { pool } = database;
    const seen: string[] = [];
    await storeBotUpdates(pool, 'telegram', [
      { dedupeKey: '1', chatQueue: 'user:5', payload: telegramText(1, 5, 'held') },
    ]);
    expect(await claimBotUpdates(pool, 10, 30)).toHaveLength(1);
    expect(await claimBotUpdates(pool, 10, 30)).toEqual([]);
    const intake = start(async (update) => void seen.push(textOf(update)));
    await intake.store('telegram', [telegramText(2, 5, 'next'), telegramText(3, 6, 'other chat')]);
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['other chat']);
    await pool.query("UPDATE bot_updates SET due_at = now() - interval '1 second' WHERE dedupe_key = '1'");
    await eventually(() => seen.length === 3);
    expect(seen).toEqual(['other chat', 'held', 'next']);
  });

  it('are not begun again by the process that still handles them after it had stood still', async () => {
    const seen: string[] = [];
    let finish = () => {};
    const held = new Promise<void>((resolve) => (finish = resolve));
    const intake = start(async (update) => {
      seen.push(textOf(update));
      if (textOf(update) === 'held') await held;
    });
    await intake.store('telegram', [telegramText(1, 5, 'held')]);
    await eventually(() => seen.length === 1);
    await database.pool.query(
      "UPDATE bot_updates SET due_at = now() - interval '1 second' WHERE due_at IS NOT NULL",
    );
    // Whoever claims it has a new lease.
    await intake.store('telegram', [telegramText(2, 6, 'other chat')]);
    await eventually(async () => (await count("dedupe_key = '1' AND due_at > now()")) === 1);
    await eventually(() => seen.includes('other chat'));
    finish();
    await eventually(async () => (await count(waiting)) === 0);
    expect(seen).toEqual(['held', 'other chat']);
  });

  it('are not acknowledged when they could not be stored: the position moves with the commit', async () => {
    const intake = start(async () => undefined);
    await intake.store('telegram', [telegramText(1, 5, 'hi')], '2');
    expect(await findBotPosition(database.pool, 'telegram')).toBe('2');
    await database.pool.query('ALTER TABLE bot_updates RENAME TO away');
    await expect(intake.store('telegram', [telegramText(2, 5, 'hi')], '3')).rejects.toThrow();
    await database.pool.query('ALTER TABLE away RENAME TO bot_updates');
    expect(await findBotPosition(database.pool, 'telegram')).toBe('2');
    await database.pool.query("UPDATE bot_offsets SET moved_at = now() - interval '2 days'");
    expect(await findBotPosition(database.pool, 'telegram')).toBeNull();
  });

  it('leave neither names nor tokens behind once they are handled', async () => {
    const intake = start(async () => undefined);
    await intake.store('telegram', [telegramText(1, 5, '/start s_token')]);
    await eventually(async () => (await count('handled_at IS NOT NULL')) === 1);
    expect(await count('payload IS NOT NULL')).toBe(0);
  });

  it('with characters that no database text can hold are stored all the same', async () => {
    const seen: StoredUpdate[] = [];
    const intake = start(async (update) => void seen.push(update));
    await intake.store('telegram', [
      telegramText(1, 5, 'a\u0000b \ud800'),
      null,
      'nonsense',
      { update_id: 2 },
    ]);
    await intake.store('max', [
      {
        update_type: 'message_callback',
        timestamp: 1,
        callback: { callback_id: '\u0000', user: { user_id: 1 } },
      },
    ]);
    await eventually(async () => (await count(waiting)) === 0);
    expect(seen).toHaveLength(5);
    expect(seen.map(textOf)).toContain('a\ufffdb \ufffd');
  });

  it('are forgotten after 48 hours, the unhandled ones never', async () => {
    await database.pool.query(
      `INSERT INTO bot_updates (channel, dedupe_key, chat_queue, received_at, handled_at)
       SELECT 'telegram', 'old' || i, 'x', now() - interval '49 hours', now() FROM generate_series(1, 5) AS i
       UNION ALL SELECT 'telegram', 'young', 'x', now() - interval '47 hours', now()
       UNION ALL SELECT 'telegram', 'unhandled', 'x', now() - interval '49 hours', NULL`,
    );
    for (const removal of removalsOf(database.pool, retention())) await removal.next();
    const { rows } = await database.pool.query('SELECT dedupe_key FROM bot_updates ORDER BY 1');
    expect(rows.map((row) => row.dedupe_key)).toEqual(['unhandled', 'young']);
  });

  it('stored by another process wake this one at once', async () => {
    const seen: StoredUpdate[] = [];
    start(async (update) => void seen.push(update));
    const other = createPool({ url: database.url, max: 1 });
    try {
      await eventually(async () => {
        const { rowCount } = await other.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`,
        );
        return rowCount;
      });
      // Each is stored once the one before it was handled: a sweep, which comes once a second, finds one of them.
      const waits: number[] = [];
      for (let i = 1; i <= 11; i += 1) {
        const stored = performance.now();
        await storeBotUpdates(other, 'telegram', [
          { dedupeKey: String(i), chatQueue: 'x', payload: telegramText(i, 5, 'hi') },
        ]);
        await eventually(() => seen.length === i);
        waits.push(performance.now() - stored);
      }
      // The middle one, because the machine does other things meanwhile.
      const [middle] = waits.sort((a, b) => a - b).slice(5);
      expect(middle).toBeLessThan((SWEEP_MS * 3) / 4);
    } finally {
      await other.end();
    }
  });
});
