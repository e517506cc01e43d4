import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type pg from 'pg';
import { searchMessages } from '../../domains/broadcasts/queries/operators';
import { isoTime } from '../../base/lib/iso-time';
import { searchSessions } from '../../domains/login/queries/operators';
import { sessionOutcome } from '../../domains/login/session-outcome';
import { searchDeliveries } from '../../domains/webhooks/queries/operators';
import { oneOf } from './arguments';
import { withDatabase } from './context';
import { endpointName } from './endpoint-name';
import { print } from './output';
import { requireProject } from './projects';
import { addTargetOptions, remoteOf, type TargetOptions } from './remote';
import { hasColor, styled, styleOf } from './style';
import { createChanges, kinds, type Entry, type Following, type Kind } from './tail-entries';
import { followRemote } from './tail-remote';

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
      endpoint: endpointName(found.endpoint_description, found.url),
      changedAt: found.ended_at && isoTime(found.ended_at),
    })),
  logins: async (pool, filter) =>
    (await searchSessions(pool, filter)).map((found) => ({
      at: isoTime(found.created_at),
      project: found.project_slug,
      id: found.id,
      what: found.flow,
      status: sessionOutcome(found),
      detail: found.channel,
      changedAt: loginChangedAt(found),
    })),
  messages: async (pool, filter) =>
    (await searchMessages(pool, filter)).map((found) => ({
      at: isoTime(found.at),
      project: found.project_slug,
      id: found.id,
      what: `${found.source} ${found.channel}`,
      status: found.status,
      detail: found.reason,
      changedAt: null,
    })),
};

function loginChangedAt({ consumed_at, decided_at }: { consumed_at: Date | null; decided_at: Date | null }) {
  const at = consumed_at ?? decided_at;
  return at && isoTime(at);
}

function line({ at, project, id, what, status, detail, endpoint }: Omit<Entry, 'changedAt'>): string {
  const color = hasColor();
  const parts = [
    styled(at, 'muted', color),
    ...(project === null ? [] : [project]),
    what,
    styled(status, styleOf(status), color),
    ...(detail === null ? [] : [detail]),
    ...(endpoint === undefined ? [] : [endpoint]),
    styled(id, 'muted', color),
  ];
  return parts.join('  ');
}

interface TailOptions extends TargetOptions {
  json?: boolean;
}

/** Prints an entry when it appears and each time its state has changed, until the command is ended. */
async function tail(kind: Kind, { json, ...target }: TailOptions): Promise<void> {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  const remote = remoteOf(target);
  const onOpen = () => process.stderr.write(`Waiting for ${kind}. Ctrl+C ends.\n`);
  const show = ({ changedAt: _, ...entry }: Entry) => print(entry, json, () => line(entry));
  if (remote) await followRemote(remote, kind, { onOpen, show, signal: stop.signal });
  else await followHere(kind, target.project, { onOpen, show, signal: stop.signal });
}

async function followHere(
  kind: Kind,
  slug: string | undefined,
  { onOpen, show, signal }: Following,
): Promise<void> {
  await withDatabase(async (pool) => {
    const projectId = slug === undefined ? undefined : (await requireProject(pool, slug)).id;
    const since = new Date().toISOString();
    onOpen();
    const changed = createChanges();
    while (!signal.aborted) {
      const began = performance.now();
      changed(await readers[kind](pool, { projectId, since, limit: NEWEST })).forEach(show);
      // After a slow read, as during a large broadcast, the pause is nine times as long: at most a tenth of a connection's time.
      const restMs = Math.max(POLL_MS, 9 * (performance.now() - began));
      await sleep(restMs, undefined, { signal }).catch(() => {});
    }
  });
}

export function addTailCommand(program: Command): void {
  const tailing = program
    .command('tail')
    .description('print new entries of a log, and each change of their state, as they happen')
    .argument('<log>', kinds.join(', '), oneOf(kinds));
  addTargetOptions(tailing, 'all').option('--json', 'print one line of JSON for each entry').action(tail);
}
