import type { z } from 'zod';
import { eventNames, eventRegistry, type EventEntry } from '../../src/domains/events/contract';
import { errorCodes } from '../../src/base/contract/errors';
import { jsonSchema } from '../../src/base/contract/json-schema';
import { createComponents } from '../../src/base/http/openapi-components';
import { headerSchemas, type RouteSpec } from '../../src/base/http/route';
import { routeKey, sdkNames } from '../../src/site/openapi/sdk-names';
import { routeSpecs } from './routes';

/** A JSON Schema as z.toJSONSchema writes it; only what the types of the SDKs use. */
export interface Schema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  $ref?: string;
  $defs?: Record<string, Schema>;
}

/** A route as a method of the SDKs. */
export interface SdkMethod {
  group: string;
  name: string;
  httpMethod: string;
  path: string;
  summary: string;
  description: string;
  /** Path parameters, in the order of the path. */
  params: string[];
  query: Schema | null;
  body: Schema | null;
  /** The type of a body that is text. */
  textType: string | null;
  /** The types of a body that is a file; the caller says which. */
  fileTypes: readonly string[] | null;
  response: { kind: 'json'; schema: Schema } | { kind: 'file' } | { kind: 'events' } | { kind: 'nothing' };
  /** Whether the route takes an Idempotency-Key. */
  keyed: boolean;
  /** The items of a list that has more than one page. */
  items: Schema | null;
}

export interface SdkModel {
  /** The named schemas of the OpenAPI document. */
  components: { name: string; schema: Schema }[];
  methods: SdkMethod[];
  groups: { name: string; methods: SdkMethod[] }[];
  events: { name: string; summary: string; schema: Schema }[];
  errorCodes: readonly string[];
}

export function sdkModel(): SdkModel {
  const specs = routeSpecs();
  const names = sdkNames(specs);
  const methods = specs.map((spec) =>
    sdkMethod(spec, names.get(routeKey(spec)) as { group: string; name: string }),
  );
  const groups = new Map<string, SdkMethod[]>();
  for (const method of methods) {
    const members = groups.get(method.group) ?? [];
    const other = members.find(({ name }) => name === method.name);
    if (other) {
      throw new Error(
        `${routeKeyOf(other)} and ${routeKeyOf(method)} are both ${method.group}.${method.name}: choose a name in src/site/openapi/sdk-names.ts`,
      );
    }
    groups.set(method.group, [...members, method]);
  }
  return {
    components: componentsOf(specs),
    methods,
    groups: [...groups].map(([name, members]) => ({ name, methods: members })),
    events: eventNames.map((name) => {
      const entry: EventEntry = eventRegistry[name];
      return { name, summary: entry.summary, schema: jsonSchema(entry.schema, 'output') };
    }),
    errorCodes,
  };
}

function componentsOf(specs: RouteSpec[]): SdkModel['components'] {
  const components = createComponents();
  for (const { body, response } of specs) {
    if (body) components.schema(body, 'input');
    if (response && !Array.isArray(response)) components.schema(response, 'output');
  }
  for (const name of eventNames) components.schema(eventRegistry[name].schema, 'output');
  const { schemas } = components.named({ components })['components'] as { schemas: Record<string, Schema> };
  // What a request and a response have in common has the name of the response's.
  const names = Object.keys(schemas).sort((a, b) => Number(/Input$/.test(a)) - Number(/Input$/.test(b)));
  return names.map((name) => ({ name, schema: expanded(schemas[name], schemas) as Schema }));
}

/** A schema without references, as the schemas of the routes are. */
function expanded(value: unknown, schemas: Record<string, Schema>): unknown {
  if (Array.isArray(value)) return value.map((each) => expanded(each, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...others } = value as Schema;
  const name = /^#\/components\/schemas\/(\w+)$/.exec($ref ?? '')?.[1];
  const whole = name === undefined ? value : { ...others, ...without(schemas[name], others) };
  return Object.fromEntries(Object.entries(whole).map(([key, each]) => [key, expanded(each, schemas)]));
}

function without(schema: Schema | undefined, taken: object): object {
  return Object.fromEntries(Object.entries(schema ?? {}).filter(([key]) => !(key in taken)));
}

export function routeKeyOf({ httpMethod, path }: SdkMethod): string {
  return `${httpMethod} ${path}`;
}

function sdkMethod(spec: RouteSpec, { group, name }: { group: string; name: string }): SdkMethod {
  const isStream = Array.isArray(spec.response) && spec.response.includes('text/event-stream');
  const query = spec.query ? queryOf(spec.query, isStream) : null;
  const response: SdkMethod['response'] =
    spec.response === undefined
      ? { kind: 'nothing' }
      : Array.isArray(spec.response) || spec.streamed
        ? { kind: isStream ? 'events' : 'file' }
        : { kind: 'json', schema: jsonSchema(spec.response, 'output') };
  const page = response.kind === 'json' ? response.schema.properties : undefined;
  return {
    group,
    name,
    httpMethod: spec.method,
    path: spec.path,
    summary: spec.summary,
    description: spec.description ?? '',
    params: [...spec.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param as string),
    query: query && Object.keys(query.properties ?? {}).length > 0 ? query : null,
    body: spec.body ? (jsonSchema(spec.body, 'input') as Schema) : null,
    textType: spec.text?.type ?? null,
    fileTypes: spec.file?.types ?? null,
    response,
    keyed: headerSchemas(spec).some(
      (schema) => 'idempotency-key' in ((jsonSchema(schema, 'input') as Schema).properties ?? {}),
    ),
    items: query?.properties?.['cursor'] && page?.['next_cursor'] ? (page['data']?.items ?? null) : null,
  };
}

/** The SDKs' streams are of events; names of changed lists are for the dashboard. */
function queryOf(schema: z.ZodType, isStream: boolean): Schema {
  const query = jsonSchema(schema, 'input') as Schema;
  if (!isStream) return query;
  const { changes: _, ...properties } = query.properties ?? {};
  return { ...query, properties };
}

/** `listDeliveries` → `listAllDeliveries`: the iterator over all pages. */
export function iteratorName(name: string): string {
  return name.replace(/^list/, 'listAll');
}

export function pascalCase(name: string): string {
  return name[0]?.toUpperCase() + name.slice(1);
}

/** A group of named types: identical schemas share the first name. */
export class NamedSchemas {
  private readonly nameOf = new Map<string, string>();
  readonly all: { name: string; schema: Schema; summary: string }[] = [];

  add(name: string, schema: Schema, summary: string): void {
    this.all.push({ name, schema, summary });
    const key = keyOf(schema);
    if (isWorthAName(schema) && !this.nameOf.has(key)) this.nameOf.set(key, name);
  }

  /** The name of a type with this schema. */
  find(schema: Schema): string | undefined {
    return isWorthAName(schema) ? this.nameOf.get(keyOf(schema)) : undefined;
  }
}

/** The description of the place where a schema is used makes no other type, nor does whether it is of a request or a response. */
function keyOf({ description: _, ...schema }: Schema): string {
  return JSON.stringify(schema, (word, value: unknown) =>
    word === 'additionalProperties' && value === false ? undefined : value,
  );
}

function isWorthAName({ properties, oneOf, anyOf }: Schema): boolean {
  return (
    Object.keys(properties ?? {}).length > 0 ||
    [...(oneOf ?? []), ...(anyOf ?? [])].some(({ properties: p }) => p)
  );
}

/** All types of the SDKs: the named schemas, then the body, query, response and items of each method, and the data of each event. */
export function namedSchemas({ components, methods, events }: SdkModel): NamedSchemas {
  const named = new NamedSchemas();
  for (const { name, schema } of components) {
    if (!named.find(schema)) named.add(name, schema, schema.description ?? '');
  }
  for (const each of methods) {
    const { group, name, body, textType, fileTypes, query, response, items } = each;
    const prefix = pascalCase(group) + pascalCase(name);
    const of = `of ${routeKeyOf(each)}`;
    if (body && !textType && !fileTypes) named.add(`${prefix}Body`, body, `The body ${of}.`);
    if (query) named.add(`${prefix}Query`, query, `The query ${of}.`);
    if (response.kind === 'json') named.add(`${prefix}Response`, response.schema, `The response ${of}.`);
    if (items) named.add(`${prefix}Item`, items, `An entry of the list ${of}.`);
  }
  for (const { name, summary, schema } of events) {
    named.add(
      `${name.split(/[._]/).map(pascalCase).join('')}Data`,
      schema,
      `The data of \`${name}\`. ${summary}`,
    );
  }
  return named;
}
