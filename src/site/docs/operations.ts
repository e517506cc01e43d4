import type { z } from 'zod';
import type { ErrorCode } from '../../base/contract/errors';
import type { Scope } from '../../base/contract/scopes';
import { jsonSchema } from '../../base/contract/json-schema';
import { headerName, operationId } from '../openapi';
import { commonErrors, headerSchemas, scopeOf, type Route, type RouteSpec } from '../../base/http/route';
import { routeKey, sdkNames, type SdkName } from '../openapi/sdk-names';
import type { Json } from './samples/request';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: Json;
}

/** An operation of the API as the documentation shows it. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  tag: string;
  /** The method of the SDKs. */
  sdk: SdkName;
  /** What the caller must be allowed to do; null if every key may, undefined if the route takes no key. */
  scope: Scope | null | undefined;
  parameters: Parameter[];
  body: Json | undefined;
  /** The type of the body, if it is text instead of JSON. */
  textType: string | undefined;
  /** The types of the body, if it is a file. */
  fileTypes: string[];
  status: number;
  response: Json | undefined;
  /** The types of a binary response. */
  mediaTypes: string[];
  /** Errors of this operation, and those that it shares with most others. */
  errors: ErrorCode[];
  commonErrors: ErrorCode[];
}

export function listOperations(routes: Route[]): Operation[] {
  const names = sdkNames(routes.map(({ spec }) => spec));
  return routes.map(({ spec }) => operation(spec, names.get(routeKey(spec)) as SdkName));
}

function operation(spec: RouteSpec, sdk: SdkName): Operation {
  const { method, path, summary, description = '', tag, status, response } = spec;
  const isBinary = Array.isArray(response);
  const common = commonErrors(spec);
  return {
    id: operationId(spec),
    method,
    path,
    summary,
    description,
    tag,
    sdk,
    scope: spec.auth === 'key' ? scopeOf(spec) : undefined,
    parameters: [
      ...parameters('path', spec.params),
      ...parameters('query', spec.query),
      ...headerSchemas(spec).flatMap((schema) => parameters('header', schema)),
    ],
    body: spec.body && jsonSchema(spec.body, 'input', 'examples'),
    textType: spec.text?.type,
    fileTypes: [...(spec.file?.types ?? [])],
    status,
    response: response && !isBinary ? jsonSchema(response, 'output', 'examples') : undefined,
    mediaTypes: isBinary ? response : [],
    errors: spec.errors.filter((code) => !common.includes(code)),
    commonErrors: common,
  };
}

function parameters(place: Parameter['in'], schema: z.ZodType | undefined): Parameter[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name: place === 'header' ? headerName(name) : name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }));
}

/** The resources in the order of the routes, with their operations. */
export function byResource(operations: Operation[]): [tag: string, operations: Operation[]][] {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  return tags.map((tag) => [tag, operations.filter((each) => each.tag === tag)]);
}
