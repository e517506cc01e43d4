import { EXAMPLE_TIME, EXAMPLE_UUID } from '../../contract/common';
import { consistent } from './consistent-example';
import type { Json } from './samples/request';

/** Values by which a reader recognises a field. The rest follows from the schema. */
const named: Record<string, unknown> = {
  after: 'quick',
  answers: { message: 'Hello' },
  api_key: 'hk_…',
  before: 'durable',
  billing_blocked: false,
  blocked: false,
  bot_username: 'example_bot',
  callback_url: 'https://shop.example.com/callback',
  client_ip: '203.0.113.7',
  code: 'pY0f3Jm…',
  cron: '0 9 * * MON',
  dry_run: false,
  endpoint_url: 'https://shop.example.com/webhooks',
  error: null,
  event: 'auth.completed',
  events: ['auth.completed'],
  expires_in: 300,
  expires_in_seconds: 300,
  external_id: 'user-42',
  first_name: 'Anna',
  grace_ends_at: null,
  hint: 'hk_3fK2',
  interval: 2,
  hosted_url: 'https://herald.example.com/login/…',
  last_http_status: 200,
  match_code: 'K7QX',
  max_link: 'https://max.ru/example_bot?start=…',
  month: '2026-01',
  name: 'My shop',
  next_cursor: null,
  permissions: ['news'],
  qr_url: 'https://herald.example.com/v1/auth/session/…/qr',
  reason: null,
  redirect_uri: 'https://shop.example.com/callback',
  redirect_url: 'https://shop.example.com/callback?code=…&state=af0ifjsldkj',
  redirect_urls: ['https://shop.example.com/callback'],
  response_body: 'ok',
  revoked_at: null,
  scheduled_at: '2026-01-15T12:00:00',
  secret: 'whsec_…',
  slug: 'shop',
  state: 'af0ifjsldkj',
  tags: ['beta'],
  tags_all: [],
  tags_any: ['beta'],
  exclude_tags: [],
  missing: [],
  telegram_link: 'https://t.me/example_bot?start=…',
  template: 'shipped',
  test: false,
  text: 'Your order is on its way.',
  timezone: 'Europe/Berlin',
  url: 'https://shop.example.com/webhooks',
  username: 'anna',
};

/** Times that come after the others of their object. */
const laterTimes: Record<string, string> = {
  ended_at: '2026-01-15T10:30:02.000+00:00',
  clicked_at: '2026-01-15T10:31:00.000+00:00',
  decided_at: '2026-01-15T10:30:20.000+00:00',
  redeemed_at: '2026-01-15T10:30:21.000+00:00',
  expires_at: '2026-01-15T10:40:00.000+00:00',
  next_at: '2026-01-15T12:00:00.000+00:00',
  next_run_at: '2026-01-19T08:00:00.000+00:00',
};

/** An example that shows every field of a response. */
export function exampleResponse(schema: Json, name = ''): unknown {
  return exampleOf(schema, name, { optional: true });
}

/** An example request body with the required fields. */
export function exampleBody(schema: Json): unknown {
  return exampleOf(schema, '', { optional: false });
}

function exampleOf(schema: Json, name: string, options: { optional: boolean }): unknown {
  if (schema['const'] !== undefined) return schema['const'];
  if (options.optional && Array.isArray(schema['examples'])) return schema['examples'][0];
  const variants = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
  const known = Object.hasOwn(named, name) ? named[name] : undefined;
  if (known !== undefined && fits(known, schema)) return known;
  // A text without a typical value tells less than null.
  if (options.optional && isOptionalText(schema) && !name.endsWith('_id')) return null;
  if (variants) {
    return exampleOf(variants.find(({ type }) => type !== 'null') ?? {}, name, options);
  }
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  switch (typesOf(schema)[0]) {
    case 'object':
      return exampleObject(schema, options);
    case 'array': {
      const wanted = options.optional || Number(schema['minItems'] ?? 0) > 0;
      return wanted ? [exampleOf((schema['items'] ?? {}) as Json, name, options)] : [];
    }
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema['minimum'] ?? 1));
    case 'boolean':
      return true;
    default:
      return exampleText(schema, name);
  }
}

function exampleObject(schema: Json, options: { optional: boolean }): unknown {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
  const required = (schema['required'] ?? []) as string[];
  const example = Object.fromEntries(
    properties
      .filter(([name]) => options.optional || required.includes(name))
      .map(([name, property]) => [name, exampleOf(property, name, options)]),
  );
  if (!options.optional) return example;
  const schemas = new Map(properties);
  return consistent(example, {
    allows: (name, value) => fits(value, schemas.get(name) ?? {}),
    isRequired: (name) => required.includes(name),
  });
}

function exampleText(schema: Json, name: string): string {
  if (schema['format'] === 'date-time') return laterTimes[name] ?? EXAMPLE_TIME;
  if (schema['format'] === 'date') return EXAMPLE_TIME.slice(0, 10);
  if (schema['format'] === 'uuid') return EXAMPLE_UUID;
  if (name === 'id' || name.endsWith('_id')) return EXAMPLE_UUID;
  return [`<${name}>`, name].find((text) => matches(text, schema)) ?? `<${name}>`;
}

/** Whether the schema is that of any text, or null. */
function isOptionalText(schema: Json): boolean {
  const parts = ((schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined) ?? [schema];
  const types = parts.flatMap(typesOf);
  return (
    types.length === 2 &&
    types.includes('string') &&
    types.includes('null') &&
    parts.every(({ enum: values, format }) => values === undefined && format === undefined)
  );
}

/** The types of a schema, of which `null` comes last: nullable fields have two. */
function typesOf(schema: Json): unknown[] {
  return [schema['type']].flat().sort((a, b) => Number(a === 'null') - Number(b === 'null'));
}

/** Whether a named value has the type of the field and is no value outside its list. */
function fits(value: unknown, schema: Json): boolean {
  const variants = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
  if (variants) return variants.some((variant) => fits(value, variant));
  const types = typesOf(schema);
  if (value === null) return types.includes('null');
  if (Array.isArray(schema['enum'])) return schema['enum'].includes(value);
  if (Array.isArray(value)) {
    return types.includes('array') && value.every((item) => fits(item, schema['items'] as Json));
  }
  if (typeof value === 'number') return types.includes('integer') || types.includes('number');
  if (typeof value === 'object') return types.includes('object');
  if (typeof value === 'boolean') return types.includes('boolean');
  return types.includes('string') && (schema['format'] ?? '') === '' && matches(String(value), schema);
}

/** Whether a text has the pattern of its field. */
function matches(text: string, { pattern }: Json): boolean {
  return typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text);
}
