import type { Command } from 'commander';
import { eventNames, eventNameSchema } from '../../domains/events/contract';
import { newWebhookSecret } from '../../base/lib/tokens';
import { deliveryHeaders } from '../../domains/webhooks/headers';
import { httpUrl } from './arguments';
import { UsageError } from './context';
import { localEvents, remoteEvents, type EventSource, type ListenedEvent } from './event-source';
import { print } from './output';
import { addTargetOptions, disconnected, reasonOf, remoteOf, type TargetOptions } from './remote';
import { hasColor, styled } from './style';

interface ListenOptions extends TargetOptions {
  forwardTo: string;
  events?: string[];
  json?: boolean;
}

const FORWARD_LIMIT_MS = 10_000;

/** What became of an event that was posted to the developer's own server. */
interface Forwarded {
  event_id: string;
  event: string;
  status: number | null;
  error: string | null;
  duration_ms: number;
}

/** Posts an event as a delivery to an endpoint would be, signed with the secret of this run. */
async function forward(url: string, secret: string, event: ListenedEvent): Promise<Forwarded> {
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

function sourceOf(options: ListenOptions): EventSource {
  const names = options.events ?? null;
  const remote = remoteOf(options);
  return remote ? remoteEvents(remote, names) : localEvents(options.project, names);
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
      const { forwardTo } = options;
      print(
        { secret, forward_to: forwardTo },
        options.json,
        () => `Ready. Events go to ${forwardTo}, signed with ${secret}`,
      );
    },
    async onEvent(event) {
      const result = await forward(options.forwardTo, secret, event);
      print(result, options.json, () => line(result));
    },
    onInterrupted: disconnected,
    onGap: () => tell('Events were missed: the connection was lost for more than an hour.'),
  });
}

function eventList(value: string): string[] {
  return value.split(',').map((name) => {
    if (eventNameSchema.safeParse(name).success) return name;
    throw new UsageError(`"${name}" is not an event. Events: ${eventNames.join(', ')}.`);
  });
}

export function addListenCommand(program: Command): void {
  const listening = program
    .command('listen')
    .description("post a project's events to your own server as they happen, signed like webhooks")
    .requiredOption('--forward-to <url>', 'where to post the events', httpUrl)
    .option('--events <names>', 'only these, separated by commas', eventList);
  addTargetOptions(listening, 'the only one, or the demo project')
    .option('--json', 'print one line of JSON for each event')
    .action(listen);
}
