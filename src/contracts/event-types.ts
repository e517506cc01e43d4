import { z } from 'zod';
import { eventNames, eventRegistry } from './events';

export const eventTypeSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  schema: z.record(z.string(), z.unknown()),
  example: z.record(z.string(), z.unknown()),
  reserved: z.boolean(),
});

/** The catalogue as `GET /v1/event-types` shows it. The schema and the example are those of the whole body. */
export const eventTypes = eventNames.map((name) => {
  const entry = eventRegistry[name];
  const body = z.strictObject({ event: z.literal(name), data: entry.schema });
  return {
    name,
    description: entry.summary,
    schema: z.toJSONSchema(body) as Record<string, unknown>,
    example: { event: name, data: entry.example } as Record<string, unknown>,
    reserved: 'reserved' in entry,
  };
});
