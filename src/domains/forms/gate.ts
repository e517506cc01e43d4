import type { Context, Middleware } from 'koa';
import { AppError } from '../../base/contract/errors';
import type { Core } from '../../base/core';
import type { CountAddress } from '../../base/http/address-limit';
import { clientNetwork } from '../../base/http/client-network';
import { createRateLimiter, retryAfterSeconds } from '../../base/http/rate-limiter';
import type { OpenForm, OpenForms } from './open-forms';
import { isAllowedOrigin, originOf } from './origins';

/** Counts a submission, by its address and by its form; throws if it is one too many. */
export type CountSubmission = (ctx: Pick<Context, 'ip'>, formId: string) => Promise<void>;

/**
 * Once a limit is reached, requests are refused from memory: the form's first, so that a flood from many addresses costs no
 * query each. One address cannot use up the limit of the form.
 */
export function createSubmissionLimit({ pool, config }: Pick<Core, 'pool' | 'config'>): CountSubmission {
  const byAddress = createRateLimiter(pool, {
    name: 'form_address',
    points: config.HERALD_FORM_SUBMISSIONS_PER_ADDRESS_PER_MINUTE,
    seconds: 60,
  });
  const byForm = createRateLimiter(pool, {
    name: 'form',
    points: config.HERALD_FORM_SUBMISSIONS_PER_MINUTE,
    seconds: 60,
  });
  const full = createFullForms();
  return async (ctx, formId) => {
    const msBeforeNext = full.msLeft(formId);
    refuseUnlessAllowed({ allowed: msBeforeNext === 0, msBeforeNext });
    refuseUnlessAllowed(await byAddress(`${formId} ${clientNetwork(ctx.ip)}`));
    const counted = await byForm(formId);
    if (!counted.allowed) full.add(formId, counted.msBeforeNext);
    refuseUnlessAllowed(counted);
  };
}

/** The forms that take no more in their minute. */
function createFullForms() {
  const endsAt = new Map<string, number>();
  return {
    msLeft: (formId: string) => Math.max(0, (endsAt.get(formId) ?? 0) - performance.now()),
    add(formId: string, ms: number) {
      const now = performance.now();
      for (const [id, end] of endsAt) if (end <= now) endsAt.delete(id);
      endsAt.set(formId, now + ms);
    },
  };
}

function refuseUnlessAllowed(counted: { allowed: boolean; msBeforeNext: number }): void {
  if (counted.allowed) return;
  throw new AppError('rate_limit_form', undefined, { retryAfter: retryAfterSeconds(counted) });
}

/** Opens a form for a request. Submissions to a remembered form are counted by limits of their own, without a query for each. */
export async function openFor(
  ctx: Context,
  { openForms, countAddress }: { openForms: OpenForms; countAddress: CountAddress },
  id: string,
): Promise<OpenForm> {
  if (ctx.method !== 'POST' || !openForms.remembers(id)) await countAddress(ctx);
  return openForms(id);
}

/**
 * Stands before the routes of `/f/{form_id}`: CORS, the origin and the limits, before anything is read of the body. What
 * is refused here costs no query but the counters'.
 */
export function formGate(deps: {
  config: Pick<Core['config'], 'development'>;
  openForms: OpenForms;
  countAddress: CountAddress;
  countSubmission: CountSubmission;
}): Middleware {
  const { config, countSubmission } = deps;
  return async (ctx, next) => {
    const id = /^\/f\/([^/]+)$/.exec(ctx.path)?.[1];
    if (id === undefined || !['GET', 'HEAD', 'POST', 'OPTIONS'].includes(ctx.method)) return next();
    ctx.state['routePattern'] = '/f/{form_id}';
    const form = await openFor(ctx, deps, id);
    const isAllowed = isAllowedOrigin(form.allowed_origins, originOf(ctx), config);
    ctx.vary('Origin');
    if (isAllowed) allowOrigin(ctx);
    if (ctx.method === 'OPTIONS') {
      ctx.status = 204;
      return;
    }
    if (ctx.method === 'POST') {
      if (!isAllowed) throw new AppError('origin_not_allowed');
      await countSubmission(ctx, form.id);
    }
    await next();
  };
}

/** Without credentials: a form reads no cookie. */
function allowOrigin(ctx: Context): void {
  const origin = ctx.get('origin');
  if (origin === '') return;
  ctx.set('Access-Control-Allow-Origin', origin);
  ctx.set('Access-Control-Allow-Methods', 'GET, POST');
  ctx.set('Access-Control-Allow-Headers', 'Content-Type');
  ctx.set('Access-Control-Expose-Headers', 'Retry-After');
  ctx.set('Access-Control-Max-Age', '600');
}

/** Whether a submission was filled in by a machine, by what people do not see of a form. */
export function looksLikeSpam(form: OpenForm, given: { _hp?: unknown; _token?: unknown }): boolean {
  const isTrapped = given._hp !== undefined && given._hp !== null && given._hp !== '';
  return isTrapped || isTooFast(form, given._token);
}

function isTooFast(form: OpenForm, token: unknown): boolean {
  if (form.min_seconds === 0) return false;
  const age = form.ageOf(token);
  return age === null || age < form.min_seconds * 1000;
}
