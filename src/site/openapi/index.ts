import { z } from 'zod';
import { errorTable, isRetryable, type ErrorCode } from '../../base/contract/errors';
import { jsonSchema } from '../../base/contract/json-schema';
import { eventRegistry, eventTypes } from '../../domains/events/contract';
import { createComponents, type Components } from '../../base/http/openapi-components';
import { fileExample, requestExample, responseExample } from './examples';
import { commonErrors, headerSchemas, scopeOf, type Route, type RouteSpec } from '../../base/http/route';

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document, generated from the route specs that the guard enforces. */
export function openApiDocument(routes: Pick<Route, 'spec'>[], serverUrl: string): Json {
  const components = createComponents();
  const paths: Record<string, Json> = {};
  for (const { spec } of routes) {
    const item = (paths[spec.path] ??= {});
    item[spec.method.toLowerCase()] = operation(spec, serverUrl, components);
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Herald',
      version: '1',
      description: 'Messenger login, webhooks and messages.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    paths,
    webhooks: webhooks(components),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'Project API key (hk_…)' },
      },
      schemas: { Error: errorSchema(), ...components.schemas },
    },
  };
  return components.named(document);
}

function operation(spec: RouteSpec, serverUrl: string, components: Components): Json {
  return {
    operationId: operationId(spec),
    summary: spec.summary,
    ...(spec.description ? { description: spec.description } : {}),
    tags: [spec.tag],
    // The scope that the key must have.
    security: spec.auth === 'key' ? [{ apiKey: [scopeOf(spec) ?? []].flat() }] : [],
    parameters: [
      ...parameters('path', spec.params),
      ...parameters('query', spec.query),
      ...headerSchemas(spec).flatMap((schema) => parameters('header', schema)),
    ],
    ...(spec.body
      ? {
          requestBody: {
            required: !spec.body.safeParse({}).success,
            content: requestContent(spec, spec.body, components),
          },
        }
      : {}),
    responses: {
      [spec.status]: success(spec, components),
      ...(spec.form ? { 303: seeOther(spec) } : {}),
      ...failures(spec, serverUrl),
    },
  };
}

function requestContent(spec: RouteSpec, body: z.ZodType, components: Components): Json {
  if (spec.file) return filesOf(spec, spec.file.types);
  const content = { schema: components.schema(body, 'input'), example: requestExample(body) };
  if (spec.form) return { 'application/json': content, 'application/x-www-form-urlencoded': content };
  return { [spec.text?.type ?? 'application/json']: content };
}

const fileSchema = { type: 'string', format: 'binary' };

function filesOf(spec: RouteSpec, types: readonly string[]): Json {
  return Object.fromEntries(
    types.map((type) => [type, { schema: fileSchema, example: fileExample(spec, type) }]),
  );
}

/** For example get_v1_webhooks_id: stable, because it derives only from method and path. */
export function operationId(spec: Pick<RouteSpec, 'method' | 'path'>): string {
  return `${spec.method.toLowerCase()}${spec.path.replaceAll(/[^A-Za-z0-9]+/g, '_').replace(/_$/, '')}`;
}

/** The headers of responses. They are written out, because some validators take a reference to a header for no URL. */
const headers = {
  'X-Request-Id': header('Names the request in the log of the service.', { type: 'string' }),
  'X-RateLimit-Limit': header('Requests that the project may send in a minute.', { type: 'integer' }),
  'X-RateLimit-Remaining': header('Requests that are left in this minute.', { type: 'integer' }),
  'X-RateLimit-Reset': header('The Unix time at which the minute ends, in seconds.', { type: 'integer' }),
  'Retry-After': header('Seconds after which the request can be repeated.', { type: 'integer', minimum: 1 }),
  Location: header('Where the browser goes on to.', { type: 'string', format: 'uri-reference' }),
  'Idempotent-Replayed': header('`true` if this is the response of an earlier request with the same key.', {
    type: 'string',
    enum: ['true'],
  }),
};
type HeaderName = keyof typeof headers;

function header(description: string, schema: Json): Json {
  return { description, schema };
}

function headersOf(names: HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, headers[name]]));
}

/** Headers of every response of a route. */
function commonHeaders({ auth }: RouteSpec): HeaderName[] {
  const limits: HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
  return ['X-Request-Id', ...(auth === 'key' ? limits : [])];
}

function success(spec: RouteSpec, components: Components): Json {
  const replayed: HeaderName[] = spec.idempotent ? ['Idempotent-Replayed'] : [];
  const shown = { headers: headersOf([...commonHeaders(spec), ...replayed]) };
  if (spec.response === undefined) return { description: 'Success.', ...shown };
  if (Array.isArray(spec.response)) {
    return {
      description: spec.summary,
      ...shown,
      content: filesOf(spec, spec.response),
    };
  }
  const content = {
    schema: components.schema(spec.response, 'output'),
    example: responseExample(spec.response),
  };
  return { description: spec.summary, ...shown, content: { 'application/json': content } };
}

/** The response to an HTML form. */
function seeOther(spec: RouteSpec): Json {
  return {
    description: 'The body was that of an HTML form.',
    headers: headersOf([...commonHeaders(spec), 'Location']),
  };
}

function failures(spec: RouteSpec, serverUrl: string): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...spec.errors, ...commonErrors(spec)])) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const entries = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    entries.map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${errorTable[code].text}`).join('\n\n'),
        headers: headersOf([...errorHeaders(spec, status)]),
        content: { 'application/json': errorContent(codes, serverUrl) },
      },
    ]),
  );
}

/** 425, 429 and 503 say when to try again. */
function errorHeaders(spec: RouteSpec, status: number): HeaderName[] {
  // A request without a valid key, or while the database is unavailable, is not counted.
  const headers: HeaderName[] = status === 401 || status === 503 ? ['X-Request-Id'] : commonHeaders(spec);
  return [425, 429, 503].includes(status) ? [...headers, 'Retry-After'] : headers;
}

/** The codes of one status, with an example of each. */
function errorContent(codes: ErrorCode[], serverUrl: string): Json {
  return {
    schema: { $ref: '#/components/schemas/Error' },
    examples: Object.fromEntries(
      codes.map((code) => {
        const { text } = errorTable[code];
        const docs_url = `${serverUrl}/docs/errors#${code}`;
        return [
          code,
          { summary: text, value: { error: text, code, retryable: isRetryable(code), docs_url } },
        ];
      }),
    ),
  };
}

function parameters(location: 'path' | 'query' | 'header', schema: z.ZodType | undefined): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name: location === 'header' ? headerName(name) : name,
    in: location,
    required: location === 'path' || required.includes(name),
    schema: property,
  }));
}

/** Idempotency-Key for idempotency-key. */
export function headerName(name: string): string {
  return name.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}

/** The headers of every delivery. */
const deliveryHeaders: Record<string, string> = {
  'X-Service-Event': 'The name of the event, as in the body.',
  'X-Service-Timestamp': 'The Unix time of this attempt, in seconds.',
  'X-Service-Delivery-Id': 'The same for every attempt of the delivery.',
  'X-Service-Signature': '`t=<seconds>,v1=<hex>`, with one `v1=` for each signing secret.',
  'webhook-id': 'The delivery id, for Standard Webhooks.',
  'webhook-timestamp': 'The same time as in X-Service-Timestamp.',
  'webhook-signature': '`v1,<base64>`, one for each signing secret, separated by spaces.',
};

const deliveryParameters: Json[] = [
  ...Object.entries(deliveryHeaders).map(([name, description]) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  })),
  {
    name: 'X-Service-Test',
    in: 'header',
    required: false,
    description: 'Only on test deliveries.',
    schema: { type: 'string', enum: ['true'] },
  },
];

function webhooks(components: Components): Json {
  return Object.fromEntries(
    eventTypes().map(({ name, description }) => {
      const entry = eventRegistry[name];
      const body = z.strictObject({ event: z.literal(name), data: entry.schema });
      const content = {
        'application/json': {
          schema: components.schema(body, 'output'),
          example: { event: name, data: entry.example },
        },
      };
      return [
        name,
        {
          post: {
            operationId: `webhook_${name.replaceAll('.', '_')}`,
            summary: entry.summary,
            description,
            security: [],
            parameters: deliveryParameters,
            requestBody: { required: true, content },
            responses: { '200': { description: 'Received.' } },
          },
        },
      ];
    }),
  );
}

function errorSchema(): Json {
  return {
    type: 'object',
    required: ['error', 'code', 'retryable', 'docs_url'],
    properties: {
      error: { type: 'string', description: 'Human-readable message.' },
      // Not an enum: later versions may add codes.
      code: {
        type: 'string',
        description: `Stable; later versions may add codes. Today: ${Object.keys(errorTable)
          .map((code) => `\`${code}\``)
          .join(', ')}.`,
      },
      retryable: { type: 'boolean' },
      docs_url: { type: 'string', format: 'uri' },
    },
  };
}
