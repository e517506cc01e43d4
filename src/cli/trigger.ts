import type { Command } from 'commander';
import { emitEvent, emitTestEvent } from '../events';
import { eventNames, eventRegistry, type EventName } from '../events/contract';
import { findEndpoint } from '../webhooks/queries/endpoints';
import { oneOf, uuid } from './arguments';
import { UsageError, withDatabase } from './context';
import { print } from './output';
import { requireProject } from './projects';

interface TriggerOptions {
  project: string;
  endpoint?: string;
  json?: boolean;
}

async function trigger(
  event: EventName,
  { project: slug, endpoint: id, json }: TriggerOptions,
): Promise<void> {
  const data = eventRegistry[event].example;
  await withDatabase(async (pool) => {
    const project = await requireProject(pool, slug);
    if (id === undefined) {
      const { id: eventId, deliveries } = await emitEvent(pool, project.id, event, data as never, {
        test: true,
      });
      return print({ event_id: eventId, deliveries }, json, () =>
        deliveries === 0
          ? `Event ${eventId}. No endpoint of ${slug} takes ${event}; "herald listen" shows it.`
          : `Event ${eventId} goes to ${deliveries} endpoint(s), marked as a test.`,
      );
    }
    const endpoint = await findEndpoint(pool, project.id, id);
    if (!endpoint) throw new UsageError(`Endpoint "${id}" not found in ${slug}.`);
    const deliveryId = await emitTestEvent(pool, endpoint, event, data as never);
    print(
      { delivery_id: deliveryId },
      json,
      () => `Delivery ${deliveryId} goes to ${endpoint.url}, marked as a test.`,
    );
  });
}

export function addTriggerCommand(program: Command): void {
  program
    .command('trigger')
    .description('send the example of an event, marked as a test')
    .argument('<event>', 'name of the event', oneOf(eventNames))
    .requiredOption('--project <slug>')
    .option('--endpoint <id>', 'only to this endpoint, whatever its filter', uuid)
    .option('--json', 'print JSON')
    .action(trigger);
}
