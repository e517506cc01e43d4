import { useEffect, useState } from 'preact/hooks';
import { currentProject } from '../api';
import type { Ticket } from '../helpdesk-api';

/* Which state of a ticket was last looked at in this browser, by ticket. Only the newest are kept. */

const MOST = 500;
const listeners = new Set<() => void>();
const keyOf = () => `herald.seen.${currentProject()}`;

function read(): [id: string, updatedAt: string][] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf()) ?? '[]');
    return Array.isArray(stored) ? (stored as [string, string][]) : [];
  } catch {
    return [];
  }
}

export function markSeen({ ticket_id, updated_at }: Ticket): void {
  const others = read().filter(([id]) => id !== ticket_id);
  try {
    localStorage.setItem(keyOf(), JSON.stringify([...others, [ticket_id, updated_at]].slice(-MOST)));
  } catch {
    // A browser that stores nothing: every ticket that waits for an answer stays marked.
  }
  for (const listener of listeners) listener();
}

/** Whether a ticket has something that was not looked at here: the customer waits, and it has changed since. */
export function useUnread(): (ticket: Ticket) => boolean {
  const [seen, setSeen] = useState(() => new Map(read()));
  useEffect(() => {
    const listener = () => setSeen(new Map(read()));
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return ({ ticket_id, status, waiting_since, updated_at }) =>
    status !== 'closed' && waiting_since !== null && (seen.get(ticket_id) ?? '') < updated_at;
}
