import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { z } from 'zod';
import type { ErrorCode } from '../contract/errors';
import type { Role, Scope } from '../contract/scopes';
import { idempotencyHeaders } from '../contract/idempotency';
import type { Work } from './idempotency';
import type { TextReader } from './json-body';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** `key`: a project's API key or its dashboard session. `none`: no authentication. */
export type Auth = 'key' | 'none';

type Schema = z.ZodType | undefined;
type Parsed<S extends Schema> = S extends z.ZodType ? z.output<S> : undefined;

/**
 * The project of an authenticated request, and its sender: an API key, or a member who has signed in. `projects` declares further
 * fields.
 */
export interface Caller {
  id: string;
  active: boolean;
  requests_per_minute: number | null;
  scopes: readonly Scope[];
  /** Null for a key. */
  role: Role | null;
  /** Identifies the dashboard session, if the request has one. */
  dashboard_session?: string;
}

export interface RouteRequest<P, Q, B, H, A extends Auth> {
  params: P;
  query: Q;
  body: B;
  headers: H;
  project: A extends 'key' ? Caller : undefined;
  /** New for each request, unless the route is idempotent and the request resumes an earlier one. */
  work: Work;
  /** For responses that stay open: aborts when the caller loses its access, or when the connection closes. */
  access: () => AbortSignal;
  /** For routes that set headers or cookies. */
  ctx: Context;
}

/** A response that is not JSON, such as an image. */
export class Binary {
  constructor(
    readonly type: string,
    readonly data: Buffer | string,
  ) {}
}

/** A response of any length, which the browser saves as a file. */
export class Streamed {
  constructor(
    readonly type: string,
    readonly filename: string,
    readonly data: Readable,
  ) {}
}

/** Sends a browser on after the POST of an HTML form. */
export class SeeOther {
  constructor(readonly location: string) {}
}

/** Server-sent events. */
export class EventStream {
  constructor(readonly data: Readable) {}
}

export interface RouteSpec<
  P extends Schema = Schema,
  Q extends Schema = Schema,
  B extends Schema = Schema,
  H extends Schema = Schema,
  A extends Auth = Auth,
> {
  method: Method;
  /** In OpenAPI notation: /v1/webhooks/{id} */
  path: string;
  summary: string;
  description?: string;
  tag: string;
  auth: A;
  /** What the caller must be allowed to do; see scopeOf. Null: every caller may. */
  scope?: Scope | null;
  /** Path parameters; a value that does not match is 404, not a validation error. */
  params?: P;
  query?: Q;
  body?: B;
  /** The body is text of this type instead of JSON. Its reader checks it; `body` describes it. */
  text?: { type: string; maxBytes: number; reader: () => TextReader<unknown> };
  /** The body is a file of one of these types instead of JSON. The route checks it; `body` describes it. */
  file?: { types: readonly string[]; maxBytes: number };
  /**
   * The body may also be an HTML form (urlencoded) of up to this size, although there is no key. The response to a form is a
   * SeeOther.
   */
  form?: { maxBytes: number };
  /** Request headers that the route reads, in lower case. */
  headers?: H;
  /**
   * The route takes an Idempotency-Key. `shownOnce` names the field of the response with a secret: it is null when the
   * response is replayed.
   */
  idempotent?: { shownOnce?: string };
  /** The response has a login code or gives access to something: it is no tool for agents. */
  confidential?: true;
  /** The body field by which paths name what this route creates, where that is not an id. */
  namedBy?: 'key' | 'name';
  /** The audit log does not name what this route removes, because nothing may name it afterwards. */
  unnamedInAudit?: true;
  status: number;
  /** The JSON response; a list of media types for binary responses; absent for 204. */
  response?: z.ZodType | string[];
  /** An example of a response that is not JSON; `exampleOf` has one for a schema. */
  example?: (exampleOf: (schema: z.ZodType) => unknown) => string;
  /** The JSON response is streamed and can have any length, so the route is no tool for agents. */
  streamed?: true;
  /** A probe of an orchestrator, which is not counted. */
  uncounted?: true;
  /** Error codes besides those that every route can return (see commonErrors). */
  errors: ErrorCode[];
}

type Defaults = 'auth' | 'status' | 'errors';
/** What a route declares. Default: an API key or dashboard session, status 200, no errors besides the common ones. */
type Declared<Spec extends RouteSpec<Schema, Schema, Schema, Schema>> = Omit<Spec, Defaults> &
  Partial<Pick<Spec, Defaults>>;

export interface Route {
  spec: RouteSpec;
  /** It has the connections to the database that are kept for logins. */
  isLogin?: boolean;
  handle: (request: RouteRequest<unknown, unknown, unknown, unknown, Auth>) => Promise<unknown>;
}

/**
 * Defines an API route: one object validates, types and documents it. guard.ts runs it; the OpenAPI document is
 * generated from it.
 */
export function route<
  A extends Auth = 'key',
  P extends Schema = undefined,
  Q extends Schema = undefined,
  B extends Schema = undefined,
  H extends Schema = undefined,
>(
  declared: Declared<RouteSpec<P, Q, B, H, A>>,
  handle: (request: RouteRequest<Parsed<P>, Parsed<Q>, Parsed<B>, Parsed<H>, A>) => Promise<unknown>,
): Route {
  const spec = { auth: 'key', status: 200, errors: [], ...declared } as RouteSpec;
  return { spec, handle: handle as Route['handle'] };
}

/** `route`, for routes with one tag: the section of the reference that lists them. */
export function routesOf(tag: string) {
  return <
    A extends Auth = 'key',
    P extends Schema = undefined,
    Q extends Schema = undefined,
    B extends Schema = undefined,
    H extends Schema = undefined,
  >(
    declared: Omit<Declared<RouteSpec<P, Q, B, H, A>>, 'tag'>,
    handle: (request: RouteRequest<Parsed<P>, Parsed<Q>, Parsed<B>, Parsed<H>, A>) => Promise<unknown>,
  ) => route({ ...declared, tag } as Declared<RouteSpec<P, Q, B, H, A>>, handle);
}

/** The scope that a route needs: reading for a GET, managing for a change, unless it declares another; null for none. */
export function scopeOf({ scope, method }: Pick<RouteSpec, 'scope' | 'method'>): Scope | null {
  if (scope !== undefined) return scope;
  return method === 'GET' ? 'read' : 'manage';
}

/** All request headers that a route reads. */
export function headerSchemas(spec: RouteSpec): z.ZodType[] {
  return [spec.headers, spec.idempotent && idempotencyHeaders].filter((schema) => schema !== undefined);
}

/** What a request with a key, or with a sign-in to the dashboard, can be refused with. */
export const authenticatedErrors: readonly ErrorCode[] = [
  'unauthorized',
  'invalid_api_key',
  'project_inactive',
  'forbidden',
  'rate_limit_project',
];

/** Error codes that any route can return, so that routes need not list them. */
export function commonErrors(spec: RouteSpec): ErrorCode[] {
  const codes: ErrorCode[] = ['internal_error', 'service_unavailable'];
  if (spec.auth === 'key') codes.push(...authenticatedErrors);
  else if (!spec.uncounted) codes.push('rate_limit_address');
  if (spec.params) codes.push('not_found');
  const hasBody = spec.method !== 'GET';
  // Every route refuses query parameters that it does not know.
  codes.push('bad_request', 'validation_failed');
  if (spec.idempotent) codes.push('idempotency_conflict', 'request_in_progress');
  if (hasBody) codes.push('payload_too_large', 'unsupported_media_type');
  return codes;
}
