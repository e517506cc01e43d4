import { createHash } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { z } from 'zod';
import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
import type { Scope } from '../contract/scopes';
import { isUuid } from '../contract/ids';
import { idempotencyHeaders } from '../contract/idempotency';
import { onBehalfOf } from '../db/project-share';
import { uuidv7 } from '../lib/uuid';
import type { IdempotentRequest, RunOnce, Work } from './idempotency';
import { auditActionOf } from './audit-action';
import { readFormBody } from './form-body';
import { readFileBody, readJsonBody, readTextBody } from './json-body';
import { logIds } from './log-ids';
import { isOwnRequest } from './own-requests';
import type { CountRequest, LimitState } from './project-limit';
import { watchAccess } from './access-watch';
import {
  Binary,
  EventStream,
  scopeOf,
  SeeOther,
  Streamed,
  type Auth,
  type Caller,
  type Route,
  type RouteRequest,
  type RouteSpec,
} from './route';
import { refuseUnstorable } from './storable-json';
import { validated } from './validate';

/**
 * Identifies the caller by its credentials, or throws; registered by roles/api.ts. Its project may be inactive: `requireActive`
 * refuses it, in a request after it was counted. `admittedTo`: the project that an earlier
 * check of this request found, because the page may show another one by now.
 */
export type Authenticate = (ctx: Context, admittedTo?: string) => Promise<Caller>;

export interface GuardDeps {
  /** The largest JSON body without a key: what a stranger can send costs others nothing. Default: as in `limits`. */
  keylessBodyBytes?: number;
  authenticate: Authenticate;
  countRequest: CountRequest;
  runOnce: RunOnce;
  /** Runs a change and writes its entry of the audit log in the transaction of the change. */
  audited: RunAudited;
  /** Validates responses against their schemas. On in tests; it costs more than most handlers. */
  checkResponses: boolean;
}

export interface AuditedChange {
  action: string;
  /** The id of what is changed, as far as it is known before. */
  targetId: string | null;
  /** The name that the request gives it. */
  targetName: string | null;
  ip: string;
}
export type RunAudited = <T>(caller: Caller, change: AuditedChange, work: () => Promise<T>) => Promise<T>;

/** The request pipeline of every API route: authenticate → limit → validate → handle → respond. */
export function guard(route: Route, deps: GuardDeps): Middleware {
  return async (ctx: Context) => {
    if (route.spec.auth !== 'key') return respond(ctx, route, deps, undefined);
    const project = await admit(ctx, deps);
    await onBehalfOf(project.id, () => respond(ctx, route, deps, project));
  };
}

/** A request whose caller has the scope, and whose parts match the route's schemas. */
interface Call {
  ctx: Context;
  spec: RouteSpec;
  params: unknown;
  query: unknown;
  headers: unknown;
  body: unknown;
  /** By which a repeated request is recognised. */
  identity: unknown;
}

async function respond(
  ctx: Context,
  { spec, handle }: Route,
  deps: GuardDeps,
  project: Caller | undefined,
): Promise<void> {
  const scope = scopeOf(spec);
  if (project && scope !== null) requireScope(project, scope);
  const call = await readCall(ctx, spec, deps);
  const { params, query, headers, body } = call;
  const access = () => watchAccess(ctx, () => checkAccess(ctx, deps, project, scope));
  const handled = (work: Work) =>
    handle({ params, query, headers, body, project, access, ctx, work } as HandledRequest);
  const key = spec.idempotent && givenKey(ctx);
  const run = (work: Work) =>
    project ? runAudited(call, deps, { project, work }, () => handled(work)) : handled(work);
  const response =
    project && key !== undefined
      ? await runOnce(call, deps, { project, key, run })
      : await run({ id: uuidv7(), resumed: false });
  ctx.state['logIds'] = logIds(spec.path, params, response);
  send(ctx, spec, response, deps);
}

type HandledRequest = RouteRequest<unknown, unknown, unknown, unknown, Auth>;

async function readCall(ctx: Context, spec: RouteSpec, deps: GuardDeps): Promise<Call> {
  const params = spec.params ? parsedParams(spec.params, ctx.params) : undefined;
  const query = spec.query || ctx.querystring ? parsedQuery(spec.query, { ...ctx.query }) : undefined;
  const headers = spec.headers ? validated(spec.headers, ctx.headers) : undefined;
  return { ctx, spec, params, query, headers, ...(await parsedBody(ctx, spec, deps)) };
}

/** Runs a change together with its entry in the audit log. */
function runAudited(
  { ctx, spec, params, query, body }: Call,
  { audited }: GuardDeps,
  { project, work }: { project: Caller; work: Work },
  handled: () => Promise<unknown>,
): Promise<unknown> {
  const action = auditActionOf(spec);
  const changesNothing = (query as { dry_run?: boolean } | undefined)?.dry_run === true;
  if (action === null || changesNothing) return handled();
  const targetId = targetOf(spec, { params, body }, { work, project });
  return audited(project, { action, targetId, targetName: givenName(spec, body), ip: ctx.ip }, handled);
}

function send(ctx: Context, spec: RouteSpec, response: unknown, { checkResponses }: GuardDeps): void {
  ctx.status = spec.status;
  if (response instanceof SeeOther) {
    ctx.status = 303;
    ctx.redirect(response.location);
  } else if (response instanceof Binary || response instanceof Streamed) {
    if (response instanceof Streamed) ctx.attachment(response.filename);
    ctx.type = response.type;
    ctx.body = response.data;
  } else if (response instanceof EventStream) {
    ctx.type = 'text/event-stream';
    // A proxy that collects the response would hold events back.
    ctx.set('X-Accel-Buffering', 'no');
    ctx.body = response.data;
  } else if (spec.response !== undefined) {
    const isChecked = checkResponses && spec.response instanceof z.ZodType;
    ctx.body = isChecked ? checkResponse(spec.response as z.ZodType, response) : response;
  }
}

function givenKey({ headers }: Context): string | undefined {
  if (headers['idempotency-key'] === undefined) return undefined;
  return validated(idempotencyHeaders, headers)['idempotency-key'];
}

/** The first response to a key is recorded, and is the response to each repetition. */
async function runOnce(
  { ctx, spec, params, query, identity }: Call,
  deps: GuardDeps,
  { project, key, run }: { project: Caller; key: string; run: IdempotentRequest['run'] },
): Promise<unknown> {
  const hidden = spec.idempotent?.shownOnce;
  // The recorded response is for this caller only where another one may not make it, such as an invitation.
  const by = scopeOf(spec) === 'admin' ? (project.member_id ?? project.key_id) : null;
  const { response, replayed } = await deps.runOnce({
    scope: { projectId: project.id, key },
    request: { route: `${spec.method} ${spec.path}`, params, query, body: identity, ...(by ? { by } : {}) },
    run,
    toRecord: (made) => (hidden === undefined ? made : { ...(made as object), [hidden]: null }),
  });
  if (replayed) ctx.set('Idempotent-Replayed', 'true');
  return response;
}

/** Authenticates the caller and counts the request towards its rate limit. */
export async function admit(
  ctx: Context,
  deps: Pick<GuardDeps, 'authenticate' | 'countRequest'>,
): Promise<Caller> {
  const project = await deps.authenticate(ctx);
  ctx.state['projectId'] = project.id;
  // The message that it is made for has been counted.
  if (!isOwnRequest(ctx)) await countOrRefuse(ctx, deps.countRequest, project);
  return requireActive(project);
}

/** Counts a request of the caller, says so in its headers, and throws if it is one too many. Far from the limit nothing waits. */
export async function countOrRefuse(
  ctx: Context,
  countRequest: CountRequest,
  caller: Parameters<CountRequest>[0],
): Promise<void> {
  const limit = countRequest.early?.(caller) ?? (await countRequest(caller));
  showLimit(ctx, limit);
  if (!limit.allowed) throw new AppError('rate_limit_project', undefined, { retryAfter: limit.retryAfter });
}

function showLimit(ctx: Context, { limit, remaining, reset }: LimitState): void {
  ctx.set('X-RateLimit-Limit', String(limit));
  ctx.set('X-RateLimit-Remaining', String(remaining));
  ctx.set('X-RateLimit-Reset', String(reset));
}

export function requireActive(project: Caller): Caller {
  if (!project.active) throw new AppError('project_inactive');
  return project;
}

/** Throws what the caller would get now. */
async function checkAccess(
  ctx: Context,
  { authenticate }: GuardDeps,
  admitted: Caller | undefined,
  scope: Scope | null,
): Promise<void> {
  if (!admitted) return;
  const caller = await authenticate(ctx, admitted.id);
  if (caller.id !== admitted.id) throw new AppError('unauthorized');
  requireActive(caller);
  if (scope !== null) requireScope(caller, scope);
}

function requireScope({ scopes, role }: Caller, scope: Scope): void {
  if (scopes.includes(scope)) return;
  throw new AppError(
    'forbidden',
    role === null ? `The API key needs the scope "${scope}".` : `Your role needs the scope "${scope}".`,
  );
}

/**
 * What the audit entry names: the last id or name in the path, the body's `namedBy` field, the id of what an idempotent request
 * creates, or else the project.
 */
function targetOf(
  spec: RouteSpec,
  { params, body }: { params: unknown; body: unknown },
  { work, project }: { work: Work; project: Caller },
): string | null {
  if (spec.unnamedInAudit) return null;
  const name = spec.path.match(/\{\w+\}/g)?.at(-1);
  const id = name && (params as Record<string, string>)[name.slice(1, -1)];
  // One form of an id in the log, by which a removal finds it.
  if (id !== undefined) return isUuid(id) ? id.toLowerCase() : id;
  if (spec.namedBy) return String((body as Record<string, unknown>)[spec.namedBy]);
  return spec.idempotent ? work.id : project.id;
}

/** Things have their name in `name`; that of an invitation is a person's. */
function givenName({ path, unnamedInAudit }: RouteSpec, body: unknown): string | null {
  if (unnamedInAudit || path === '/v1/invitations') return null;
  const { name } = (body ?? {}) as { name?: unknown };
  return typeof name === 'string' ? name : null;
}

function parsedParams(schema: z.ZodType, params: unknown): unknown {
  const result = schema.safeParse(params);
  // A malformed id gets the same response as an unknown one; nothing has a name with NUL, which PostgreSQL cannot store.
  if (!result.success || Object.values(params as object).some((text) => String(text).includes('\0'))) {
    throw new AppError('not_found');
  }
  return result.data;
}

/** Where a route has no query, or no body. */
const nothing = z.strictObject({});

function parsedQuery(schema: z.ZodType | undefined, query: unknown): unknown {
  refuseUnstorable(JSON.stringify(query));
  const parsed = validated(schema ?? nothing, query);
  return schema ? parsed : undefined;
}

/** `identity`: by which a repeated request is recognised. */
async function parsedBody(
  ctx: Context,
  spec: RouteSpec,
  { keylessBodyBytes = limits.keylessBodyBytes }: GuardDeps,
): Promise<{ body: unknown; identity: unknown }> {
  const { body: schema, text, file } = spec;
  if (text) {
    const { value, digest } = await readTextBody(ctx, text);
    return { body: value, identity: digest };
  }
  if (file) {
    const body = await readFileBody(ctx, file);
    return { body, identity: createHash('sha256').update(body).digest('hex') };
  }
  if (spec.form) {
    const body = validated(schema ?? nothing, await readFormBody(ctx, spec.form.maxBytes));
    return { body, identity: body };
  }
  // A body that is not read is a mistake that the caller wants to hear of.
  const maxBytes = spec.auth === 'key' ? limits.requestBodyBytes : keylessBodyBytes;
  const body = validated(schema ?? nothing, await readJsonBody(ctx, maxBytes));
  return { body, identity: body };
}

function checkResponse(schema: z.ZodType, response: unknown): unknown {
  const result = schema.safeParse(response);
  if (!result.success) throw new Error(`the response does not match its schema: ${result.error.message}`);
  return response;
}
