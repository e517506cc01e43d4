import { routeSpecs } from '../../../sdk/generator/routes';
import { eventTypes } from '../../../src/events/contract';
import { openApiDocument } from '../../../src/http/openapi';

type Json = Record<string, unknown>;

const { paths, webhooks, components } = openApiDocument(
  routeSpecs().map((spec) => ({ spec })),
  'http://localhost',
) as { paths: Record<string, Record<string, Json>>; webhooks: Json; components: Json };
const operations = Object.values(paths).flatMap((item) => Object.values(item));

const isClosed = (part: unknown) => JSON.stringify(part).includes('"additionalProperties":false');

test('a later version can add fields to responses, events and errors', () => {
  for (const { responses } of operations) expect(isClosed(responses)).toBe(false);
  expect(isClosed([webhooks, components, eventTypes()])).toBe(false);
});

test('requests say that unknown fields are refused', () => {
  const open = operations.filter(({ requestBody }) => {
    const { content = {} } = (requestBody ?? {}) as { content?: Record<string, { schema: Json }> };
    const schema = content['application/json']?.schema;
    // `{}` of a form's answers allows others on purpose.
    return schema?.['properties'] !== undefined && schema['additionalProperties'] === undefined;
  });
  expect(open.map(({ operationId }) => operationId)).toEqual([]);
});

test('a later version can add error codes', () => {
  const { code } = (components as { schemas: { Error: { properties: Json } } }).schemas.Error.properties;
  expect(code).not.toHaveProperty('enum');
});
