import type { Json } from './samples/request';

/** Values by which a reader recognises a field. The rest follows from the schema. */
const named: Record<string, unknown> = {
  answers: { message: 'Hello' },
  api_key: 'hk_…',
  bot_username: 'example_bot',
  callback_url: 'https://shop.example.com/callback',
  client_ip: '203.0.113.7',
  code: 'pY0f3Jm…',
  error: 'Forbidden: bot was blocked by the user',
  event: 'auth.completed',
  events: ['auth.completed'],
  external_id: 'user-42',
  first_name: 'Anna',
  hint: 'hk_3fK2',
  hosted_url: 'https://herald.example.com/login/…',
  last_http_status: 200,
  match_code: 'K7QX',
  max_link: 'https://max.ru/example_bot?start=…',
  month: '2026-01',
  name: 'My shop',
  next_cursor: null,
  permissions: ['news'],
  qr_url: 'https://herald.example.com/v1/auth/session/…/qr',
  redirect_uri: 'https://shop.example.com/callback',
  redirect_url: 'https://shop.example.com/callback?code=…&state=af0ifjsldkj',
  redirect_urls: ['https://shop.example.com/callback'],
  response_body: 'ok',
  secret: 'whsec_…',
  slug: 'shop',
  state: 'af0ifjsldkj',
  tags: ['beta'],
  telegram_link: 'https://t.me/example_bot?start=…',
  template: 'shipped',
  text: 'Your order is on its way.',
  url: 'https://shop.example.com/webhooks',
  username: 'anna',
};

export const EXAMPLE_UUID = '4f0c6a6e-2f0b-4c1d-9a4e-8a4d5f8f6f01';
export const EXAMPLE_TIME = '2026-01-15T10:30:00.000+00:00';

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
  return Object.fromEntries(
    properties
      .filter(([name]) => options.optional || required.includes(name))
      .map(([name, property]) => [name, exampleOf(property, name, options)]),
  );
}

function exampleText(schema: Json, name: string): string {
  if (schema['format'] === 'date-time') return EXAMPLE_TIME;
  if (schema['format'] === 'date') return EXAMPLE_TIME.slice(0, 10);
  if (schema['format'] === 'uuid') return EXAMPLE_UUID;
  if (name === 'id' || name.endsWith('_id')) return EXAMPLE_UUID;
  return [`<${name}>`, name].find((text) => matches(text, schema)) ?? `<${name}>`;
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
  return types.includes('string') && (schema['format'] ?? '') === '' && matches(String(value), schema);
}

/** Whether a text has the pattern of its field. */
function matches(text: string, { pattern }: Json): boolean {
  return typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text);
}
