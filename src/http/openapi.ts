import { z } from 'zod';
import { errorTable, type ErrorCode } from '../contract/errors';
import { eventNames, eventRegistry } from '../events/contract';
import { commonErrors, headerSchemas, scopeOf, type Route, type RouteSpec } from './route';

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document, generated from the route specs that the guard enforces. */
export function openApiDocument(routes: Route[], serverUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const { spec } of routes) {
    const item = (paths[spec.path] ??= {});
    item[spec.method.toLowerCase()] = operation(spec);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Herald',
      version: '1',
      description: 'Messenger login, webhooks and messages.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    paths,
    webhooks: webhooks(),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'Project API key (hk_…)' },
      },
      schemas: { Error: errorSchema() },
    },
  };
}

function operation(spec: RouteSpec): Json {
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
            content: { [spec.text?.type ?? 'application/json']: { schema: jsonSchema(spec.body, 'input') } },
          },
        }
      : {}),
    responses: { [spec.status]: success(spec), ...failures(spec) },
  };
}

/** For example get_v1_webhooks_id: stable, because it derives only from method and path. */
export function operationId(spec: Pick<RouteSpec, 'method' | 'path'>): string {
  return `${spec.method.toLowerCase()}${spec.path.replaceAll(/[^A-Za-z0-9]+/g, '_').replace(/_$/, '')}`;
}

function success(spec: RouteSpec): Json {
  if (spec.response === undefined) return { description: 'Success.' };
  if (Array.isArray(spec.response)) {
    const binary = { schema: { type: 'string', format: 'binary' } };
    return {
      description: spec.summary,
      content: Object.fromEntries(spec.response.map((type) => [type, binary])),
    };
  }
  return {
    description: spec.summary,
    content: { 'application/json': { schema: jsonSchema(spec.response, 'output') } },
  };
}

function failures(spec: RouteSpec): Json {
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
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

function parameters(location: 'path' | 'query' | 'header', schema: z.ZodType | undefined): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    schema: property,
  }));
}

function webhooks(): Json {
  return Object.fromEntries(
    eventNames.map((name) => {
      const entry = eventRegistry[name];
      const body = z.strictObject({ event: z.literal(name), data: entry.schema });
      const content = {
        'application/json': {
          schema: jsonSchema(body, 'output'),
          example: { event: name, data: entry.example },
        },
      };
      return [
        name,
        {
          post: {
            summary: entry.summary,
            requestBody: { content },
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
      code: { type: 'string', enum: Object.keys(errorTable) },
      retryable: { type: 'boolean' },
      docs_url: { type: 'string', format: 'uri' },
    },
    additionalProperties: false,
  };
}

export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return rest;
}
