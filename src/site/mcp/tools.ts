import { z } from 'zod';
import type { Scope } from '../../base/contract/scopes';
import { jsonSchema } from '../../base/contract/json-schema';
import { scopeOf, type Route, type RouteSpec } from '../../base/http/route';
import { createPauses } from '../../base/lib/pauses';
import { routeKey, sdkNames } from '../openapi/sdk-names';

type Json = Record<string, unknown>;

/** A route as a tool of the Model Context Protocol. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: Json & { type: 'object' };
  outputSchema?: Json & { type: 'object' };
  annotations: { readOnlyHint: boolean; destructiveHint: boolean };
  scope: Scope | null;
  spec: RouteSpec;
  /** As `tools/list` shows it: encoded once, because together they have half a megabyte. */
  json: string;
}

/**
 * Every route of the API whose response is JSON without a secret and whose body is no file; names are those of the SDKs. It
 * pauses: the schemas take a fifth of a second.
 */
export async function createTools(routes: Route[]): Promise<Tool[]> {
  const specs = routes.map(({ spec }) => spec);
  const names = sdkNames(specs);
  const pause = createPauses();
  const tools: Tool[] = [];
  for (const spec of specs.filter(isTool)) {
    const { group, name } = names.get(routeKey(spec)) ?? { group: 'herald', name: spec.path };
    tools.push(toolOf(spec, `${group}_${name}`));
    await pause();
  }
  return tools;
}

function toolOf(spec: RouteSpec, name: string): Tool {
  const output = spec.response instanceof z.ZodType ? jsonSchema(spec.response, 'output') : null;
  const listed = {
    name,
    title: spec.summary,
    description: `${spec.description ?? spec.summary} (${spec.method} ${spec.path})`,
    inputSchema: inputSchema(spec),
    // Only an object can be structured content; unions of objects are not described.
    ...(output && isObjectSchema(output) ? { outputSchema: output } : {}),
    annotations: { readOnlyHint: spec.method === 'GET', destructiveHint: spec.method === 'DELETE' },
  };
  return { ...listed, scope: scopeOf(spec), spec, json: JSON.stringify(listed) };
}

function isTool(spec: RouteSpec): boolean {
  const isJson = spec.response === undefined || spec.response instanceof z.ZodType;
  const isSecret = spec.confidential === true || spec.idempotent?.shownOnce !== undefined;
  return (
    spec.auth === 'key' && spec.path.startsWith('/v1/') && isJson && !isSecret && !spec.streamed && !spec.file
  );
}

/** Parameters of path and query by their names, and the body as `body`. */
function inputSchema({ params, query, body }: RouteSpec): Json & { type: 'object' } {
  const properties: Json = {};
  const required: string[] = [];
  for (const part of [params, query]) {
    if (!part) continue;
    const schema = jsonSchema(part, 'input') as { properties?: Json; required?: string[] };
    Object.assign(properties, schema.properties);
    required.push(...(schema.required ?? []));
  }
  if (body) {
    properties['body'] = jsonSchema(body, 'input');
    if (!body.safeParse({}).success) required.push('body');
  }
  return { type: 'object', properties, required, additionalProperties: false };
}

function isObjectSchema(schema: Json): schema is Json & { type: 'object' } {
  return schema['type'] === 'object';
}

/** The request that a call of a tool stands for. */
export function requestOf({ spec }: Tool, given: Json): { path: string; body: unknown } {
  const named = { ...given };
  const body = named['body'];
  delete named['body'];
  const params: Record<string, string> = {};
  for (const [, name = ''] of spec.path.matchAll(/\{(\w+)\}/g)) {
    params[name] = String(named[name] ?? '');
    delete named[name];
  }
  const isValid = spec.params?.safeParse(params).success ?? true;
  const path = spec.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? '';
    // Dots, or a value that this route refuses, can lead to another route, such as `stream` for an id. In quotes it leads
    // to none.
    return encodeURIComponent(isValid && !/^\.+$/.test(value) ? value : `"${value}"`);
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(named)) {
    if (value !== undefined && value !== null) query.set(name, String(value));
  }
  return { path: query.size > 0 ? `${path}?${query.toString()}` : path, body };
}
