import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { emitEvent, emitTestEvent } from '../events';
import { eventNames, eventRegistry, type EventName } from '../events/contract';
import { audited, byCli } from '../projects';
import { findEndpoint } from '../webhooks/queries/endpoints';
import { oneOf, uuid } from './arguments';
import { UsageError, withDatabase } from './context';
import { print } from './output';
import { requireProject } from './projects';
import {
  addTargetOptions,
  callApi,
  reasonOf,
  remoteOf,
  requiredSlug,
  type RemoteApi,
  type TargetOptions,
} from './remote';

interface TriggerOptions extends TargetOptions {
  endpoint?: string;
  json?: boolean;
}

type Triggered = { event_id: string; deliveries: number } | { delivery_id: string };

async function triggerHere(event: EventName, slug: string, endpointId?: string): Promise<Triggered> {
  const data = eventRegistry[event].example as never;
  return withDatabase(async (pool) => {
    const project = await requireProject(pool, slug);
    if (endpointId === undefined) {
      const id = randomUUID();
      const { deliveries } = await audited(pool, byCli(project.id, 'webhook.tested', id), () =>
        emitEvent(pool, project.id, event, data, { id, test: true }),
      );
      return { event_id: id, deliveries };
    }
    const endpoint = await findEndpoint(pool, project.id, endpointId);
    if (!endpoint) throw new UsageError(`Endpoint "${endpointId}" not found in ${slug}.`);
    return audited(pool, byCli(project.id, 'webhook.tested', endpointId), async () => ({
      delivery_id: await emitTestEvent(pool, endpoint, event, data),
    }));
  });
}

function triggerThere(event: EventName, remote: RemoteApi, endpointId?: string): Promise<Triggered> {
  const path = endpointId === undefined ? '/v1/webhooks/test' : `/v1/webhooks/${endpointId}/test`;
  return callApi<Triggered>(remote, 'POST', path, { event }).catch((error: unknown) => {
    throw error instanceof UsageError ? error : new UsageError(`${remote.url}: ${reasonOf(error)}`);
  });
}

async function trigger(event: EventName, options: TriggerOptions): Promise<void> {
  const remote = remoteOf(options);
  const { endpoint, json } = options;
  const sent = remote
    ? await triggerThere(event, remote, endpoint)
    : await triggerHere(event, requiredSlug(options), endpoint);
  print(sent, json, () => {
    if ('delivery_id' in sent) {
      return `Delivery ${sent.delivery_id} goes to endpoint ${endpoint}, marked as a test.`;
    }
    return sent.deliveries === 0
      ? `Event ${sent.event_id}. No endpoint takes ${event}; "herald listen" shows it.`
      : `Event ${sent.event_id} goes to ${sent.deliveries} endpoint(s), marked as a test.`;
  });
}

export function addTriggerCommand(program: Command): void {
  const triggering = program
    .command('trigger')
    .description('send the example of an event, marked as a test')
    .argument('<event>', 'name of the event', oneOf(eventNames))
    .option('--endpoint <id>', 'only to this endpoint, whatever its filter', uuid);
  addTargetOptions(triggering).option('--json', 'print JSON').action(trigger);
}
