import type { Command } from 'commander';
import { formatSubscriberId, type SubscriberIdFormat } from '../../base/contract/ids';
import { isoTime, isoTimeOrNull } from '../../base/lib/iso-time';
import { loggedStatuses, type LoggedStatus } from '../../domains/login/contract';
import { sessionOutcome } from '../../domains/login/session-outcome';
import { findAnySession, searchSessions, type OperatorSession } from '../../domains/login/queries/operators';
import { count, oneOf, since, uuid } from './arguments';
import { findInstallation, UsageError, withDatabase } from './context';
import { facts, print, table } from './output';
import { requireProject } from './projects';

/** Never contains the code. */
function present(session: OperatorSession, format: SubscriberIdFormat) {
  return {
    session_id: session.id,
    project: session.project_slug,
    flow: session.flow,
    purpose: session.purpose,
    status: session.status,
    reason: session.decline_reason,
    confirmed: session.was_confirmed,
    channel: session.channel,
    subscriber_id: session.subscriber_id && formatSubscriberId(session.subscriber_id, format),
    created_at: isoTime(session.created_at),
    expires_at: isoTime(session.expires_at),
    decided_at: isoTimeOrNull(session.decided_at),
    code_expires_at: isoTimeOrNull(session.code_expires_at),
    redeemed_at: isoTimeOrNull(session.consumed_at),
    workflow_started_at: isoTimeOrNull(session.workflow_started_at),
  };
}

function listing(shown: ReturnType<typeof present>[]): string {
  if (shown.length === 0) return 'No sessions match.';
  const rows = shown.map((entry) => [
    entry.session_id,
    entry.project,
    entry.flow,
    sessionOutcome(entry),
    entry.reason,
    entry.channel,
    entry.created_at,
    entry.decided_at,
  ]);
  return table(['session', 'project', 'flow', 'status', 'reason', 'channel', 'created', 'decided'], rows);
}

interface ListOptions {
  project?: string;
  status?: LoggedStatus;
  since?: string;
  limit: number;
  json?: boolean;
}

async function list(options: ListOptions): Promise<void> {
  const installation = await findInstallation();
  const found = await withDatabase(
    async (pool) =>
      searchSessions(pool, {
        projectId: options.project && (await requireProject(pool, options.project)).id,
        status: options.status,
        since: options.since,
        limit: options.limit,
      }),
    installation,
  );
  const format = installation.settings.HERALD_SUBSCRIBER_ID_FORMAT;
  const shown = found.map((session) => present(session, format));
  print(shown, options.json, () => listing(shown));
}

async function show(id: string, { json }: { json?: boolean }): Promise<void> {
  const installation = await findInstallation();
  const found = await withDatabase((pool) => findAnySession(pool, id), installation);
  if (!found) throw new UsageError(`Session "${id}" not found.`);
  const shown = present(found, installation.settings.HERALD_SUBSCRIBER_ID_FORMAT);
  print(shown, json, () => facts(Object.entries({ ...shown, status: sessionOutcome(shown) })));
}

export function addSessionCommands(program: Command): void {
  const sessions = program.command('sessions').description('sessions of all projects');
  sessions
    .command('list')
    .description('list sessions, newest first')
    .option('--project <slug>')
    .option('--status <status>', loggedStatuses.join(', '), oneOf(loggedStatuses))
    .option('--since <time>', 'created since a time or an age like 30m, 2h, 7d', since)
    .option('--limit <n>', 'maximum number of rows', count(1000), 50)
    .option('--json', 'print JSON')
    .action(list);
  sessions
    .command('show')
    .description('show a session, without its code')
    .argument('<id>', 'id of the session', uuid)
    .option('--json', 'print JSON')
    .action(show);
}
