import { z } from 'zod';
import { validated } from '../../../src/base/http/validate';
import { newChainSchema } from '../../../src/domains/drip/contract';
import { newRequestSchema } from '../../../src/domains/login/contract';
import { sendSchema } from '../../../src/domains/messages/contract';
import { newScheduledSchema } from '../../../src/domains/scheduled/contract';
import { newTemplateSchema } from '../../../src/domains/templates/contract';
import { deliveryListQuery, newEndpointSchema } from '../../../src/domains/webhooks/contract';
import { subscriberChangesSchema } from '../../../src/domains/subscribers/contract';

function refusal(schema: z.ZodType, value: unknown): string {
  try {
    validated(schema, value);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('the value is valid');
}

const toNowhere = { text: 'x', buttons: [[{ text: 'Go', url: 'nowhere' }]] };
const ofNowhere = { text: 'x', media: { type: 'photo', url: 'nowhere' } };

test.each<[string, z.ZodType, unknown]>([
  ['url: is required', newEndpointSchema, {}],
  ['url: must be a string', newEndpointSchema, { url: 42 }],
  ['body: must be an object', newEndpointSchema, []],
  [
    'events[1]: must be an event name; see GET /v1/event-types',
    newEndpointSchema,
    { url: 'x', events: ['auth.completed', 'nope'] },
  ],
  ['retry_policy: must be one of durable, quick', newEndpointSchema, { url: 'x', retry_policy: 'never' }],
  [
    'description: can have up to 500 characters',
    newEndpointSchema,
    { url: 'x', description: 'x'.repeat(501) },
  ],
  // Characters are UTF-16 code units, of which an emoji has two.
  [
    'description: can have up to 500 characters',
    newEndpointSchema,
    { url: 'x', description: '👋'.repeat(251) },
  ],
  [
    'message: can have up to 200 characters',
    newRequestSchema,
    { external_id: 'a', message: '👋'.repeat(101) },
  ],
  ['colour: is not a known field', newEndpointSchema, { url: 'x', colour: 'red' }],
  ['limit: must be at most 100', deliveryListQuery, { limit: '101' }],
  ['limit: must be at least 1', deliveryListQuery, { limit: '0' }],
  ['limit: must be a whole number', deliveryListQuery, { limit: '1.5' }],
  ['limit: must be a number', deliveryListQuery, { limit: 'x' }],
  ['since: must be a time with an offset, like 2026-01-31T12:00:00Z', deliveryListQuery, { since: 'today' }],
  ['tags[0]: each tag can have up to 64 characters', subscriberChangesSchema, { tags: ['x'.repeat(65)] }],
  ['tags[1]: must not be empty', subscriberChangesSchema, { tags: ['a', ''] }],
  ['list: must have at least 2 items', z.object({ list: z.array(z.string()).min(2) }), { list: ['a'] }],
  [
    'rows[0][1].text: is required',
    z.object({ rows: z.array(z.array(z.object({ text: z.string() }))) }),
    { rows: [[{ text: 'a' }, {}]] },
  ],
  [
    'buttons[0][0].url: must be an absolute http or https URL',
    sendSchema,
    { external_id: 'a', ...toNowhere },
  ],
  ['media.url: must be an absolute http or https URL', sendSchema, { external_id: 'a', ...ofNowhere }],
  [
    'content.buttons[0][0].url: must be an absolute http or https URL',
    newScheduledSchema,
    { external_id: 'a', scheduled_at: '2030-01-01T09:00', content: toNowhere },
  ],
  [
    'variants.ru.media.url: must be an absolute http or https URL',
    newTemplateSchema,
    { key: 'a', variants: { en: { text: 'x' }, ru: ofNowhere } },
  ],
  [
    'steps[2].content.media.url: must be an absolute http or https URL',
    newChainSchema,
    {
      name: 'a',
      trigger: { type: 'manual' },
      steps: [
        { id: 'a', type: 'end' },
        { id: 'b', type: 'end' },
        { id: 'c', type: 'send', content: ofNowhere },
      ],
    },
  ],
])('says in plain words: %s', (expected, schema, value) => {
  expect(refusal(schema, value)).toBe(expected);
});
