import type { Context, Middleware } from 'koa';
import { z } from 'zod';
import { AppError } from '../contract/errors';
import type { Scope } from '../contract/scopes';
import type { KeyedProject } from '../projects/contract';
import { readJsonBody } from './json-body';
import { logIds } from './log-ids';
import type { CountRequest } from './project-limit';
import { Binary, scopeOf, type Auth, type Route, type RouteRequest } from './route';
import { refuseUnstorable, validated } from './validate';

/** Identifies the caller by its credentials, or throws. Registered by roles/api.ts. */
export type Authenticate = (ctx: Context) => Promise<KeyedProject>;

export interface GuardDeps {
  authenticate: Authenticate;
  countRequest: CountRequest;
  /** Validates responses against their schemas. On in tests; it costs more than most handlers. */
  checkResponses: boolean;
}

/** The request pipeline of every API route: authenticate → limit → validate → handle → respond. */
export function guard({ spec, handle }: Route, deps: GuardDeps): Middleware {
  return async (ctx: Context) => {
    const project = spec.auth === 'key' ? await admit(ctx, deps) : undefined;
    if (project) requireScope(project, scopeOf(spec));
    const request = {
      params: spec.params ? parsedParams(spec.params, ctx.params) : undefined,
      query: spec.query ? parsedQuery(spec.query, { ...ctx.query }) : undefined,
      headers: spec.headers ? validated(spec.headers, ctx.headers) : undefined,
      body: await parsedBody(ctx, spec.body, spec.method),
      project,
      ctx,
    };
    const response = await handle(request as RouteRequest<unknown, unknown, unknown, unknown, Auth>);
    ctx.state['logIds'] = logIds(spec.path, request.params, response);
    ctx.status = spec.status;
    if (response instanceof Binary) {
      ctx.type = response.type;
      ctx.body = response.data;
      return;
    }
    if (spec.response === undefined) return;
    ctx.body =
      deps.checkResponses && spec.response instanceof z.ZodType
        ? checkResponse(spec.response, response)
        : response;
  };
}

/** Authenticates the caller and counts the request towards its rate limit. */
export async function admit(ctx: Context, { authenticate, countRequest }: GuardDeps): Promise<KeyedProject> {
  const project = await authenticate(ctx);
  ctx.state['projectId'] = project.id;
  const limit = await countRequest(project);
  ctx.set('X-RateLimit-Limit', String(limit.limit));
  ctx.set('X-RateLimit-Remaining', String(limit.remaining));
  ctx.set('X-RateLimit-Reset', String(limit.reset));
  if (!limit.allowed) throw new AppError('rate_limit_project', undefined, { retryAfter: limit.retryAfter });
  return project;
}

export function requireScope({ scopes }: KeyedProject, scope: Scope): void {
  if (!scopes.includes(scope)) throw new AppError('forbidden', `The API key needs the scope "${scope}".`);
}

function parsedParams(schema: z.ZodType, params: unknown): unknown {
  const result = schema.safeParse(params);
  // A malformed id gets the same response as an unknown one.
  if (!result.success) throw new AppError('not_found');
  return result.data;
}

function parsedQuery(schema: z.ZodType, query: unknown): unknown {
  refuseUnstorable(query);
  return validated(schema, query);
}

async function parsedBody(ctx: Context, schema: z.ZodType | undefined, method: string): Promise<unknown> {
  if (method === 'GET') return undefined;
  const body = await readJsonBody(ctx);
  return schema ? validated(schema, body) : undefined;
}

function checkResponse(schema: z.ZodType, response: unknown): unknown {
  const result = schema.safeParse(response);
  if (!result.success) throw new Error(`the response does not match its schema: ${result.error.message}`);
  return response;
}
