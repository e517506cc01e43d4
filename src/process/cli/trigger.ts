import type { Command } from 'commander';
import type pg from 'pg';
import { emitEvent, emitTestEvent } from '../../domains/events';
import { eventNames, testData, type EventName } from '../../domains/events/contract';
import { uuidv7 } from '../../base/lib/uuid';
import { audited, byCli } from '../../domains/projects';
import { findAnyEndpoint, findEndpoint, type Endpoint } from '../../domains/webhooks/queries/endpoints';
import { oneOf, uuid } from './arguments';
import { findInstallation, UsageError, withDatabase } from './context';
import { print } from './output';
import { chooseProject, requireProject } from './projects';
import { addTargetOptions, callApi, reasonOf, remoteOf, type RemoteApi, type TargetOptions } from './remote';

interface TriggerOptions extends TargetOptions {
  endpoint?: string;
  json?: boolean;
}

type Triggered = { event_id: string; deliveries: number } | { delivery_id: string };

async function triggerHere(event: EventName, slug?: string, endpointId?: string): Promise<Triggered> {
  const data = testData(event);
  const installation = await findInstallation();
  return withDatabase(async (pool) => {
    if (endpointId !== undefined) {
      const endpoint = await requireEndpoint(pool, endpointId, slug);
      return audited(pool, byCli(endpoint.project_id, 'webhook.tested', endpointId), async () => ({
        delivery_id: await emitTestEvent(pool, endpoint, event, data),
      }));
    }
    const project = await chooseProject(pool, installation, slug);
    const id = uuidv7();
    const { deliveries } = await audited(pool, byCli(project.id, 'webhook.tested', id), () =>
      emitEvent(pool, project.id, event, data, { id, test: true }),
    );
    return { event_id: id, deliveries };
  }, installation);
}

/** An endpoint of the project with this slug; without one, of any project. */
async function requireEndpoint(pool: pg.Pool, id: string, slug?: string): Promise<Endpoint> {
  const endpoint =
    slug === undefined
      ? await findAnyEndpoint(pool, id)
      : await findEndpoint(pool, (await requireProject(pool, slug)).id, id);
  const where = slug === undefined ? '' : ` in ${slug}`;
  if (!endpoint) throw new UsageError(`Endpoint "${id}" not found${where}.`);
  if (endpoint.status === 'disabled') {
    throw new UsageError(`Endpoint "${id}" is disabled: enable it first.`);
  }
  return endpoint;
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
    : await triggerHere(event, options.project, endpoint);
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
  addTargetOptions(triggering, "the endpoint's; else the only one, or the demo project")
    .option('--json', 'print JSON')
    .action(trigger);
}
