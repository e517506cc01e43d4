import { z } from 'zod';
import { routeSpecs } from '../../../sdk/generator/routes';
import { queryBoolean, queryNumber } from '../../../src/base/contract/common';
import { eventTypes } from '../../../src/domains/events/contract';
import { openApiDocument } from '../../../src/site/openapi';

type Json = Record<string, unknown>;

const { paths, webhooks, components } = openApiDocument(
  routeSpecs().map((spec) => ({ spec })),
  'http://localhost',
) as { paths: Record<string, Record<string, Json>>; webhooks: Json; components: Json };
const operations = Object.values(paths).flatMap((item) => Object.values(item));

const isClosed = (part: unknown) => JSON.stringify(part).includes('"additionalProperties":false');

/** The named schemas that a part of the document uses, directly or not. */
function referredTo(part: unknown, found: Json = {}): Json {
  const { schemas } = components as { schemas: Json };
  for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (name in found) continue;
    found[name] = schemas[name];
    referredTo(schemas[name], found);
  }
  return found;
}

test('a later version can add fields to responses, events and errors', () => {
  const responses = operations.map((operation) => operation['responses']);
  for (const written of [responses, webhooks, eventTypes()]) {
    expect(isClosed([written, referredTo(written)])).toBe(false);
  }
  expect(Object.keys(referredTo(responses))).toContain('Subscriber');
});

test('requests say that unknown fields are refused', () => {
  const open = operations.filter(({ requestBody }) => {
    const { content = {} } = (requestBody ?? {}) as { content?: Record<string, { schema: Json }> };
    const schema = content['application/json']?.schema;
    const schemas = [schema, ...Object.values(referredTo(schema ?? {}))] as (Json | undefined)[];
    // `{}` of a form's answers allows others on purpose.
    return schemas.some(
      (each) => each?.['properties'] !== undefined && each['additionalProperties'] === undefined,
    );
  });
  expect(open.map(({ operationId }) => operationId)).toEqual([]);
});

test('a later version can add error codes', () => {
  const { code } = (components as { schemas: { Error: { properties: Json } } }).schemas.Error.properties;
  expect(code).not.toHaveProperty('enum');
});

test('a boolean or a number of a query has its type in the description, and is text in a request', () => {
  const parameters = operations.flatMap((operation) => operation['parameters'] as { schema: Json }[]);
  const texts = parameters.filter(({ schema }) => {
    const values = (schema['enum'] ?? []) as unknown[];
    return values.some((value) => ['true', 'false'].includes(String(value)) || /^\d+$/.test(String(value)));
  });
  expect(texts.length).toBeGreaterThan(0);
  const hours = { type: 'integer', enum: [24, 168], default: 24 };
  for (const { schema } of texts) expect(schema).toMatchObject(hours);
  expect(parameters.map(({ schema }) => schema)).toContainEqual({ type: 'boolean' });
  const query = z.strictObject({ open: queryBoolean.optional(), hours: queryNumber([24, 168]).default(24) });
  expect(query.parse({ open: 'false', hours: '168' })).toEqual({ open: false, hours: 168 });
  expect(query.parse({})).toEqual({ hours: 24 });
  for (const given of [{ open: 'yes' }, { open: '' }, { hours: '25' }]) {
    expect(query.safeParse(given).success).toBe(false);
  }
});
