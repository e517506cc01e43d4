import type { Context, Middleware } from 'koa';
import { z } from 'zod';
import { AppError } from '../contract/errors';
import type { KeyedProject } from '../projects/contract';
import { joinedIds } from './joined-ids';
import { readJsonBody } from './json-body';
import type { TakeRequest } from './project-limit';
import { Binary, type Auth, type Route, type RouteRequest } from './route';
import { refuseUnstorable, validated } from './validate';

/** Knows the caller of a request by its credentials, or throws why not. Registered by roles/api.ts. */
export type Authenticate = (ctx: Context) => Promise<KeyedProject>;

export interface GuardDeps {
  authenticate: Authenticate;
  takeRequest: TakeRequest;
  /** Holds every answer against its schema. On in tests; it costs more than most handlers do. */
  checkResponses: boolean;
}

/** authenticate → limit → validate → handle → answer. The one way in for every route of the API. */
export function guard({ spec, handle }: Route, deps: GuardDeps): Middleware {
  return async (ctx: Context) => {
    const project = spec.auth === 'key' ? await admit(ctx, deps) : undefined;
    const request = {
      params: spec.params ? parsedParams(spec.params, ctx.params) : undefined,
      query: spec.query ? parsedQuery(spec.query, { ...ctx.query }) : undefined,
      headers: spec.headers ? validated(spec.headers, ctx.headers) : undefined,
      body: await parsedBody(ctx, spec.body, spec.method),
      project,
      ctx,
    };
    const answer = await handle(request as RouteRequest<unknown, unknown, unknown, unknown, Auth>);
    ctx.state['joinedIds'] = joinedIds(spec.path, request.params, answer);
    ctx.status = spec.status;
    if (answer instanceof Binary) {
      ctx.type = answer.type;
      ctx.body = answer.data;
      return;
    }
    if (spec.response === undefined) return;
    ctx.body =
      deps.checkResponses && spec.response instanceof z.ZodType ? checked(spec.response, answer) : answer;
  };
}

/** Knows the caller by its key and counts the request. */
export async function admit(ctx: Context, { authenticate, takeRequest }: GuardDeps): Promise<KeyedProject> {
  const project = await authenticate(ctx);
  ctx.state['projectId'] = project.id;
  const limit = await takeRequest(project);
  ctx.set('X-RateLimit-Limit', String(limit.limit));
  ctx.set('X-RateLimit-Remaining', String(limit.remaining));
  ctx.set('X-RateLimit-Reset', String(limit.reset));
  if (!limit.allowed) throw new AppError('rate_limit_project', undefined, { retryAfter: limit.retryAfter });
  return project;
}

function parsedParams(schema: z.ZodType, params: unknown): unknown {
  const result = schema.safeParse(params);
  // A malformed id answers like an unknown one, so that nothing can be learned from the difference.
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

function checked(schema: z.ZodType, answer: unknown): unknown {
  const result = schema.safeParse(answer);
  if (!result.success) throw new Error(`the answer does not fit its own schema: ${result.error.message}`);
  return answer;
}
