import type { Command } from 'commander';
import { eventNames, eventNameSchema } from '../events/contract';
import { newWebhookSecret } from '../lib/tokens';
import { deliveryHeaders } from '../webhooks/headers';
import { UsageError } from './context';
import { localEvents, reasonOf, remoteEvents, type EventSource, type ListenedEvent } from './event-source';
import { hasColor, styled } from './style';

interface ListenOptions {
  forwardTo: string;
  events?: string[];
  project?: string;
  apiUrl?: string;
  apiKey?: string;
  json?: boolean;
}

const FORWARD_LIMIT_MS = 10_000;

/** What became of an event that was posted to the developer's own server. */
export interface Forwarded {
  event_id: string;
  event: string;
  status: number | null;
  error: string | null;
  duration_ms: number;
}

/** Posts an event as a delivery to an endpoint would be, signed with the secret of this run. */
export async function forward(url: string, secret: string, event: ListenedEvent): Promise<Forwarded> {
  const began = performance.now();
  const headers = deliveryHeaders({
    deliveryId: event.event_id,
    event: event.event,
    test: event.test,
    body: event.body,
    secrets: [secret],
    timestampSeconds: Math.floor(Date.now() / 1000),
  });
  const outcome = await fetch(url, {
    method: 'POST',
    headers,
    body: event.body,
    redirect: 'manual',
    signal: AbortSignal.timeout(FORWARD_LIMIT_MS),
  }).then(
    async (response) => {
      await response.body?.cancel();
      return { status: response.status, error: null };
    },
    (error: unknown) => ({ status: null, error: reasonOf(error) }),
  );
  return {
    event_id: event.event_id,
    event: event.event,
    ...outcome,
    duration_ms: Math.round(performance.now() - began),
  };
}

function line({ event_id, event, status, error, duration_ms }: Forwarded): string {
  const color = hasColor();
  const isGood = status !== null && status >= 200 && status < 300;
  const result = styled(
    status === null ? `could not forward: ${error}` : String(status),
    isGood ? 'good' : 'bad',
    color,
  );
  const time = new Date().toTimeString().slice(0, 8);
  return `${styled(time, 'muted', color)}  ${event}  ${result}  ${duration_ms} ms  ${styled(event_id, 'muted', color)}`;
}

function sourceOf({ project, apiUrl, apiKey: givenKey, events }: ListenOptions): EventSource {
  const names = events ?? null;
  if (apiUrl !== undefined || givenKey !== undefined) {
    const apiKey = givenKey ?? process.env['HERALD_API_KEY'];
    if (!apiUrl || !apiKey) throw new UsageError('A remote service needs both --api-url and --api-key.');
    if (project !== undefined) {
      throw new UsageError('--project cannot be combined with --api-key, which names the project.');
    }
    return remoteEvents({ url: apiUrl, key: apiKey }, names);
  }
  if (project === undefined) {
    throw new UsageError(
      'Name the project with --project, or a remote service with --api-url and --api-key.',
    );
  }
  return localEvents(project, names);
}

async function listen(options: ListenOptions): Promise<void> {
  const secret = newWebhookSecret();
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  let wasOpen = false;
  const tell = (text: string) => process.stderr.write(`${text}\n`);
  await sourceOf(options).follow({
    signal: stop.signal,
    onOpen() {
      if (wasOpen) return tell('Connected again.');
      wasOpen = true;
      if (options.json) {
        process.stdout.write(`${JSON.stringify({ secret, forward_to: options.forwardTo })}\n`);
      } else process.stdout.write(`Ready. Events go to ${options.forwardTo}, signed with ${secret}\n`);
    },
    async onEvent(event) {
      const result = await forward(options.forwardTo, secret, event);
      process.stdout.write(`${options.json ? JSON.stringify(result) : line(result)}\n`);
    },
    onInterrupted: (reason, retryMs) => tell(`Disconnected: ${reason}. Next try in ${retryMs / 1000} s.`),
    onGap: () => tell('Events were missed: the connection was lost for more than an hour.'),
  });
}

function targetUrl(value: string): string {
  const protocol = URL.canParse(value) ? new URL(value).protocol : null;
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new UsageError(`"${value}" is not an http address.`);
  }
  return value;
}

function eventList(value: string): string[] {
  return value.split(',').map((name) => {
    if (eventNameSchema.safeParse(name).success) return name;
    throw new UsageError(`"${name}" is not an event. Events: ${eventNames.join(', ')}.`);
  });
}

export function addListenCommand(program: Command): void {
  program
    .command('listen')
    .description("post a project's events to your own server as they happen, signed like webhooks")
    .requiredOption('--forward-to <url>', 'where to post the events', targetUrl)
    .option('--events <names>', 'only these, separated by commas', eventList)
    .option('--project <slug>', 'a project of this installation')
    .option('--api-url <url>', 'a remote service', targetUrl)
    .option(
      '--api-key <key>',
      'key of the remote project; default: HERALD_API_KEY',
      process.env['HERALD_API_KEY'],
    )
    .option('--json', 'print one line of JSON for each event')
    .action(listen);
}
