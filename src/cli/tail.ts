import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type pg from 'pg';
import { isoTime } from '../lib/iso-time';
import { sessionOutcome } from '../login/session-outcome';
import { searchDeliveries, searchMessages, searchSessions } from '../operations/queries/log';
import { oneOf } from './arguments';
import { withDatabase } from './context';
import { requireProject } from './projects';
import { hasColor, styled, styleOf } from './style';

const kinds = ['deliveries', 'logins', 'messages'] as const;
type Kind = (typeof kinds)[number];

/** One line of the log: an entry as it is at this moment. */
interface Entry {
  at: string;
  project: string;
  id: string;
  what: string;
  status: string;
  detail: string | null;
}

const POLL_MS = 1_000;
const NEWEST = 200;

interface Filter {
  projectId: string | undefined;
  since: string;
  limit: number;
}

const readers: Record<Kind, (pool: pg.Pool, filter: Filter) => Promise<Entry[]>> = {
  deliveries: async (pool, filter) =>
    (await searchDeliveries(pool, filter)).map((found) => ({
      at: isoTime(found.created_at),
      project: found.project_slug,
      id: found.id,
      what: found.event_name,
      status: found.status,
      detail: found.last_error ?? (found.last_http_status === null ? null : String(found.last_http_status)),
    })),
  logins: async (pool, filter) =>
    (await searchSessions(pool, filter)).map((found) => ({
      at: isoTime(found.created_at),
      project: found.project_slug,
      id: found.id,
      what: found.flow,
      status: sessionOutcome({ ...found, confirmed: found.was_confirmed }),
      detail: found.channel,
    })),
  messages: async (pool, filter) =>
    (await searchMessages(pool, filter)).map((found) => ({
      at: isoTime(found.created_at),
      project: found.project_slug,
      id: found.id,
      what: `${found.kind} ${found.channel}`,
      status: found.status,
      detail: found.reason,
    })),
};

function line({ at, project, id, what, status, detail }: Entry): string {
  const color = hasColor();
  const parts = [
    styled(at.slice(11, 19), 'muted', color),
    project,
    what,
    styled(status, styleOf(status), color),
    ...(detail === null ? [] : [detail]),
    styled(id, 'muted', color),
  ];
  return parts.join('  ');
}

/** Prints an entry when it appears and each time its state has changed, until the command is ended. */
async function tail(
  kind: Kind,
  { project: slug, json }: { project?: string; json?: boolean },
): Promise<void> {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  await withDatabase(async (pool) => {
    const projectId = slug === undefined ? undefined : (await requireProject(pool, slug)).id;
    const since = new Date().toISOString();
    process.stderr.write(`Waiting for ${kind}. Ctrl+C ends.\n`);
    let shown = new Map<string, string>();
    while (!stop.signal.aborted) {
      const entries = await readers[kind](pool, { projectId, since, limit: NEWEST });
      for (const entry of entries.reverse()) {
        if (shown.get(entry.id) === stateOf(entry)) continue;
        process.stdout.write(`${json ? JSON.stringify(entry) : line(entry)}\n`);
      }
      shown = new Map(entries.map((entry) => [entry.id, stateOf(entry)]));
      await sleep(POLL_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
  });
}

const stateOf = ({ status, detail }: Entry) => `${status} ${detail}`;

export function addTailCommand(program: Command): void {
  program
    .command('tail')
    .description('print new entries of a log, and each change of their state, as they happen')
    .argument('<log>', kinds.join(', '), oneOf(kinds))
    .option('--project <slug>')
    .option('--json', 'print one line of JSON for each entry')
    .action(tail);
}
