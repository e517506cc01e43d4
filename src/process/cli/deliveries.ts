import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type pg from 'pg';
import { limits } from '../../base/contract/limits';
import { deliveryStatuses, type DeliveryStatus } from '../../domains/webhooks/contract';
import { eventNameSchema } from '../../domains/events/contract';
import { listAttempts } from '../../domains/webhooks/queries/attempts';
import { listEndpoints } from '../../domains/webhooks/queries/endpoints';
import {
  findAnyDelivery,
  searchDeliveries,
  type OperatorDelivery,
  type OperatorDeliveryFilter,
} from '../../domains/webhooks/queries/operators';
import { cancelDelivery, recoverEndpoint, retryDelivery } from '../../domains/webhooks/delivery-requests';
import { isoTime } from '../../base/lib/iso-time';
import { audited, byCli } from '../../domains/projects';
import { presentAttempt, presentDelivery } from '../../domains/webhooks/present';
import { count, oneOf, parsed, since, uuid } from './arguments';
import { UsageError, withDatabase } from './context';
import { endpointName } from './endpoint-name';
import { facts, fitted, print, table, terminal } from './output';
import { requireProject } from './projects';
import { startProgress } from './progress';

function endpointOf({ endpoint_description, url }: OperatorDelivery): string {
  return endpointName(endpoint_description, url);
}

function present(delivery: OperatorDelivery) {
  return { ...presentDelivery(delivery), project: delivery.project_slug, endpoint: endpointOf(delivery) };
}

async function requireDelivery(pool: pg.Pool, id: string): Promise<OperatorDelivery> {
  const found = await findAnyDelivery(pool, id);
  if (!found) throw new UsageError(`Delivery "${id}" not found.`);
  return found;
}

/** The result of the last attempt. */
function outcome(delivery: OperatorDelivery): string | null {
  return (
    delivery.last_error ?? (delivery.last_http_status === null ? null : String(delivery.last_http_status))
  );
}

function listing(found: OperatorDelivery[]): string {
  if (found.length === 0) return 'No deliveries match.';
  const rows = found.map((entry) => [
    entry.id,
    entry.project_slug,
    entry.event_name,
    endpointOf(entry),
    entry.status,
    entry.attempts,
    outcome(entry),
    presentDelivery(entry).next_attempt_at,
    isoTime(entry.created_at),
  ]);
  const head = [
    'delivery',
    'project',
    'event',
    'endpoint',
    'status',
    'attempts',
    'last result',
    'next attempt',
    'created',
  ];
  const { width, color } = terminal();
  const full = table(head, rows, { width: null, color });
  if (width === null || full.indexOf('\n') <= width) return full;
  return width < NARROW ? table(head, rows) : shortListing(found, width);
}

/** On a narrower terminal a line for each delivery would not have room for its id. */
const NARROW = 100;

/** One line for each delivery, with its id whole. */
function shortListing(found: OperatorDelivery[], width: number): string {
  const rows = found.map((entry) => [
    isoTime(entry.created_at).slice(5, 16).replace('T', ' '),
    entry.event_name,
    endpointOf(entry),
    entry.status,
    outcome(entry),
    entry.id,
  ]);
  return fitted(['created', 'event', 'endpoint', 'status', 'result', 'delivery'], rows, {
    width,
    shrinks: ['endpoint', 'event', 'result'],
  });
}

/** What an operator watches: which deliveries fail, why, and when each is tried again. */
function retryingListing(found: OperatorDelivery[]): string {
  if (found.length === 0) return 'No delivery is retrying.';
  const rows = found.map((entry) => [
    entry.event_name,
    endpointOf(entry),
    entry.attempts,
    outcome(entry),
    presentDelivery(entry).next_attempt_at,
    entry.id,
  ]);
  return table(['event', 'endpoint', 'attempt', 'last error', 'next attempt', 'delivery'], rows);
}

/** Deliveries that have failed and have another attempt to come. */
const RETRYING = 'retrying';
const listedStatuses = [...deliveryStatuses, RETRYING] as const;
const WATCH_MS = 2_000;
const CLEAR_SCREEN = '\x1b[H\x1b[2J';

interface ListOptions {
  project?: string;
  endpoint?: string;
  event?: string;
  status?: DeliveryStatus | typeof RETRYING;
  since?: string;
  limit: number;
  watch?: boolean;
  json?: boolean;
}

async function list(options: ListOptions): Promise<void> {
  const stop = new AbortController();
  if (options.watch) {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  }
  await withDatabase(async (pool) => {
    const { status } = options;
    const isRetrying = status === RETRYING;
    const filter: OperatorDeliveryFilter = {
      projectId: options.project && (await requireProject(pool, options.project)).id,
      endpointId: options.endpoint,
      event: options.event && parsed(eventNameSchema, options.event),
      status: isRetrying ? undefined : status,
      retrying: isRetrying,
      since: options.since,
      limit: options.limit,
    };
    do {
      const found = await searchDeliveries(pool, filter);
      if (options.watch && process.stdout.isTTY) process.stdout.write(CLEAR_SCREEN);
      print(found.map(present), options.json, () => (isRetrying ? retryingListing(found) : listing(found)));
      if (options.watch) await sleep(WATCH_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    } while (options.watch && !stop.signal.aborted);
  });
}

async function show(id: string, { json }: { json?: boolean }): Promise<void> {
  const { delivery, attempts } = await withDatabase(async (pool) => ({
    delivery: await requireDelivery(pool, id),
    attempts: await listAttempts(pool, id),
  }));
  const shown = { ...present(delivery), attempts: attempts.map(presentAttempt) };
  print(shown, json, () => {
    const { attempts: made, ...fields } = shown;
    const rows = made.map((attempt) => [
      attempt.number,
      attempt.attempted_at,
      attempt.duration_ms,
      attempt.status,
      attempt.error,
      attempt.next_attempt_at,
    ]);
    const log = table(['attempt', 'at', 'ms', 'status', 'error', 'next attempt'], rows);
    return `${facts(Object.entries(fields))}\n\n${made.length > 0 ? log : 'No attempts yet.'}`;
  });
}

/** Makes a request about one delivery, by the rules of the API, and prints its new status. */
async function ask(
  id: string,
  json: boolean | undefined,
  request: (pool: pg.Pool, delivery: OperatorDelivery) => Promise<void>,
): Promise<void> {
  const after = await withDatabase(async (pool) => {
    await request(pool, await requireDelivery(pool, id));
    return requireDelivery(pool, id);
  });
  print(present(after), json, () => `Delivery ${id} is ${after.status}.`);
}

interface RecoverOptions {
  project: string;
  endpoint?: string;
  since: string;
  json?: boolean;
}

async function recover(options: RecoverOptions): Promise<void> {
  const { project: slug } = options;
  const answer = await withDatabase(async (pool) => {
    const project = await requireProject(pool, slug);
    const endpoints = (await listEndpoints(pool, project.id)).filter(({ id, status }) =>
      options.endpoint ? id === options.endpoint : status === 'active',
    );
    if (options.endpoint && endpoints.length === 0) {
      throw new UsageError(`Project "${slug}" has no endpoint "${options.endpoint}".`);
    }
    const progress = startProgress('retrying failed deliveries');
    const recovered = [];
    for (const [index, endpoint] of endpoints.entries()) {
      progress.at(index, endpoints.length);
      const deliveries = await audited(pool, byCli(project.id, 'webhook.recovered', endpoint.id), () =>
        recoverEndpoint(pool, project.id, endpoint.id, options.since, { id: randomUUID(), resumed: false }),
      );
      recovered.push({ endpoint_id: endpoint.id, url: endpoint.url, recovered: deliveries });
    }
    progress.end();
    return recovered;
  });
  print(answer, options.json, () =>
    answer.length === 0
      ? `Project "${slug}" has no active endpoints.`
      : table(
          ['endpoint', 'url', 'recovered'],
          answer.map((entry) => [entry.endpoint_id, entry.url, entry.recovered]),
        ),
  );
}

export function addDeliveryCommands(program: Command): void {
  const deliveries = program.command('deliveries').description('webhook deliveries of all projects');
  deliveries
    .command('list')
    .description('list deliveries, newest first')
    .option('--project <slug>')
    .option('--endpoint <id>', 'only of this endpoint', uuid)
    .option('--event <name>', 'only of this event, like auth.completed')
    .option('--status <status>', listedStatuses.join(', '), oneOf(listedStatuses))
    .option('--since <time>', 'created since a time or an age like 30m, 2h, 7d', since)
    .option('--limit <n>', 'maximum number of rows', count(1000), 50)
    .option('--watch', 'print the list again every two seconds')
    .option('--json', 'print JSON')
    .action(list);
  deliveries
    .command('show')
    .description('show a delivery with its attempts')
    .argument('<id>', 'id of the delivery', uuid)
    .option('--json', 'print JSON')
    .action(show);
  deliveries
    .command('retry')
    .description(
      'make an attempt now: a pending delivery then continues its schedule, an ended one is sent again',
    )
    .argument('<id>', 'id of the delivery', uuid)
    .option('--json', 'print JSON')
    .action((id: string, { json }: { json?: boolean }) =>
      ask(id, json, (pool, { project_id }) =>
        audited(pool, byCli(project_id, 'delivery.retried', id), () =>
          retryDelivery(pool, project_id, id, randomUUID()),
        ),
      ),
    );
  deliveries
    .command('cancel')
    .description('cancel a pending delivery')
    .argument('<id>', 'id of the delivery', uuid)
    .option('--json', 'print JSON')
    .action((id: string, { json }: { json?: boolean }) =>
      ask(id, json, (pool, { project_id }) =>
        audited(pool, byCli(project_id, 'delivery.cancelled', id), () =>
          cancelDelivery(pool, project_id, id),
        ),
      ),
    );
  deliveries
    .command('recover')
    .description('retry every delivery of a project that failed since a time')
    .requiredOption('--project <slug>', 'slug of the project')
    .option('--endpoint <id>', 'only of this endpoint', uuid)
    .requiredOption(
      '--since <time>',
      `a time or an age like 30m, 2h, 7d; at most ${limits.webhookRecoverDays} days`,
      since,
    )
    .option('--json', 'print JSON')
    .action(recover);
}
