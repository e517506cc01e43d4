import type pg from 'pg';
import type { SimulatorControl } from '../../support/simulator-control';
import type { Invariant } from '../invariants';
import type { Caller } from '../caller';
import type { Random } from '../random';

/** What the load of a domain works with: a project with its key, the phones of its users, and people who have subscribed. */
export interface DomainContext {
  api: Caller;
  apiUrl: string;
  project: { id: string; slug: string };
  control: SimulatorControl;
  people: Person[];
  random: Random;
}

export interface Person {
  user: string;
  subscriberId: string;
}

/** One domain under load, and what must be true of it afterwards. */
export interface Domain {
  name: string;
  /** Uses it once. What it throws is a user who gave up. */
  use(turn: number): Promise<void>;
  /** Between two uses. */
  pauseMs: number;
  /** Ends what would go on by itself. */
  finish(): Promise<void>;
  /** What is still on its way. */
  unsettled(pool: pg.Pool): Promise<string[]>;
  check(pool: pg.Pool): Promise<Invariant[]>;
}

/** Whether as many copies have arrived as the record of a message says that is sent once, and not again after a crash. */
export function isTrue(
  { status, reason }: { status: string; reason: string | null },
  copies: number,
): boolean {
  if (status === 'sent') return copies === 1;
  // Its call was under way at a crash.
  if (status === 'failed' && reason === 'unknown') return copies <= 1;
  return status === 'failed' && copies === 0;
}

/** How often each text stands in the chats of these people. */
export async function copiesIn(
  control: SimulatorControl,
  people: Person[],
  pattern: RegExp,
): Promise<Map<string, number>> {
  const copies = new Map<string, number>();
  for (const { user } of people) {
    const { messages } = await control.chat('telegram', user);
    for (const { from, text } of messages) {
      const found = from === 'bot' ? pattern.exec(text)?.[0] : undefined;
      if (found !== undefined) copies.set(found, (copies.get(found) ?? 0) + 1);
    }
  }
  return copies;
}
