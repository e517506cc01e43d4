import { isoTime } from '../../base/lib/iso-time';

export const kinds = ['deliveries', 'logins', 'messages'] as const;
export type Kind = (typeof kinds)[number];

/** One line of the log: an entry as it is at this moment. */
export interface Entry {
  /** When it was created; of a change that is shown, when it changed. */
  at: string;
  /** When it got its present state, where that is recorded. */
  changedAt: string | null;
  /** Null where the key of a remote service names the project. */
  project: string | null;
  id: string;
  what: string;
  status: string;
  detail: string | null;
  /** The endpoint of a delivery. */
  endpoint?: string;
}

export interface Following {
  onOpen: () => void;
  show: (entry: Entry) => void;
  signal: AbortSignal;
}

/** Of entries, newest first: those that are new or have another state than at the last call, oldest first. */
export function createChanges(): (entries: Entry[]) => Entry[] {
  let shown = new Map<string, string>();
  return (entries) => {
    const changed = entries
      .filter((entry) => shown.get(entry.id) !== stateOf(entry))
      .map((entry) => ({ ...entry, at: entry.changedAt ?? (shown.has(entry.id) ? now() : entry.at) }))
      .reverse();
    shown = new Map(entries.map((entry) => [entry.id, stateOf(entry)]));
    return changed;
  };
}

const now = () => isoTime(new Date());

const stateOf = ({ status, detail }: Entry) => `${status} ${detail}`;
