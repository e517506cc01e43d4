import type { Context, Middleware } from 'koa';
import type { Language } from '../../base/contract/common';
import { AppError, nullIfNotFound, type ErrorCode } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import type { CountAddress } from '../../base/http/address-limit';
import { isHtmlForm, readFormBody } from '../../base/http/form-body';
import { pageLanguage } from '../../base/http/hosted-document';
import { ownOrigins } from '../../base/http/own-origins';
import { contentPolicy } from '../../base/http/security-headers';
import { validated } from '../../base/http/validate';
import { findSubscriber } from '../subscribers';
import { acceptSubmission, FaultyAnswers, type AcceptDeps } from './accept';
import { submittedSchema, titleOf, type Submitted } from './contract';
import { openFor, type CountSubmission } from './gate';
import type { OpenForm, OpenForms } from './open-forms';
import { originOf } from './origins';
import { formTexts } from './page-texts';
import { addressOf, formDocument, formView, outcomeView, type Filled, type PageAddress } from './page-views';

interface Deps extends AcceptDeps {
  publicUrl: Core['publicUrl'];
  openForms: OpenForms;
  countAddress: CountAddress;
  countSubmission: CountSubmission;
}

const nothingFilled: Filled = { given: {}, faults: {} };

/** The page of a form: server-rendered, posts to itself, works without JavaScript. */
export function formPage(deps: Deps): Middleware {
  return async (ctx, next) => {
    const [, id, thanks] = /^\/forms\/([^/]+)(\/thanks)?$/.exec(ctx.path) ?? [];
    const isPost = ctx.method === 'POST' && thanks === undefined;
    if (id === undefined || (!isPost && ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    ctx.state['routePattern'] = thanks ? '/forms/{form_id}/thanks' : '/forms/{form_id}';
    ctx.vary('Accept-Language');
    const page = new Page(ctx, deps);
    const form = await openFor(ctx, deps, id).catch(nullIfNotFound);
    if (!form) return page.notFound();
    ctx.set('Content-Security-Policy', policyFor(form));
    // With it browsers name the page's origin in its POST; with `no-referrer` they send `Origin: null`.
    ctx.set('Referrer-Policy', 'same-origin');
    if (thanks) return page.thanks(form);
    if (isPost) requireOwnOrigin(ctx, deps.publicUrl());
    const subscriberId = await page.subscriberOf(form);
    if (subscriberId === undefined) return page.expired(form);
    if (subscriberId === null && form.captcha_url !== null) return page.closed(form);
    if (!isPost) return page.show(form, nothingFilled);
    await page.submit(form, subscriberId);
  };
}

/**
 * Browsers apply `form-action` to every redirect after a form too, and the site of `redirect_url` may send them on: to its
 * `www`, for example.
 */
function policyFor({ redirect_url }: OpenForm): string {
  const { protocol, origin } = redirect_url === null ? { protocol: '', origin: '' } : new URL(redirect_url);
  const onward = protocol === 'https:' ? ' https:' : origin && ` ${origin}`;
  return contentPolicy({ formAction: `'self'${onward}` });
}

/** Other sites post to `/f/{form_id}`, where their origins and the captcha are checked. */
function requireOwnOrigin(ctx: Context, publicUrl: string): void {
  const origin = originOf(ctx);
  if (origin === null || !ownOrigins(ctx, publicUrl).includes(origin)) {
    throw new AppError('origin_not_allowed');
  }
}

/** One request for the page. */
class Page {
  private readonly lang: Language;
  private readonly address: PageAddress;

  constructor(
    private readonly ctx: Context,
    private readonly deps: Deps,
  ) {
    this.lang = pageLanguage(ctx);
    const signed = ctx.query['s'];
    this.address = { path: ctx.path, signed: typeof signed === 'string' ? signed.slice(0, 200) : null };
  }

  /** Null without a signed link; undefined if the link has expired, or its subscriber was removed. */
  async subscriberOf(form: OpenForm): Promise<string | null | undefined> {
    if (this.address.signed === null) return null;
    const id = form.subscriberOf(this.address.signed);
    if (id === null) return undefined;
    return (await findSubscriber(this.deps.pool, form.project_id, id))?.id;
  }

  show(form: OpenForm, filled: Filled, token = form.token()): void {
    const { address } = this;
    this.respond(titleOf(form, this.lang), formView(form, this.lang, { address, token, filled }), form);
  }

  async submit(form: OpenForm, subscriberId: string | null): Promise<void> {
    const { ctx, deps } = this;
    const t = formTexts[this.lang];
    try {
      await deps.countSubmission(ctx, form.id);
      if (!isHtmlForm(ctx)) throw new AppError('unsupported_media_type');
      const body = validated(submittedSchema, await readFormBody(ctx, limits.formBodyBytes));
      await this.accept(form, body, subscriberId);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'rate_limit_form') {
        ctx.set('Retry-After', String(error.retryAfter));
        return this.refuse(429, error.code, t.tooManyTitle, t.tooManyText, form);
      }
      if (error.code === 'billing_blocked') {
        return this.refuse(402, error.code, t.blockedTitle, t.blockedText, form);
      }
      throw error;
    }
  }

  private async accept(form: OpenForm, body: Submitted, subscriberId: string | null): Promise<void> {
    const { ctx, deps } = this;
    try {
      await acceptSubmission(deps, form, body, { source: 'hosted', subscriberId, address: ctx.ip });
    } catch (error) {
      if (!(error instanceof FaultyAnswers) || error.unknown.length > 0) throw error;
      ctx.status = 400;
      ctx.state['errorCode'] = error.code;
      // The same token: a person who corrects an answer does not begin to wait again.
      const token = typeof body._token === 'string' ? body._token : form.token();
      return this.show(form, { given: body, faults: error.faults }, token);
    }
    ctx.status = 303;
    ctx.redirect(form.redirect_url ?? addressOf({ path: `${ctx.path}/thanks`, signed: null }, this.lang));
  }

  thanks(form: OpenForm): void {
    const t = formTexts[this.lang];
    this.respond(
      t.thanksTitle,
      outcomeView('done', t.thanksTitle, t.thanksText(form.project_name), form),
      form,
    );
  }

  expired(form: OpenForm): void {
    const t = formTexts[this.lang];
    this.ctx.status = 404;
    this.respond(t.expiredTitle, outcomeView('refused', t.expiredTitle, t.expiredText, form), form);
  }

  /** A captcha's script may not run on Herald's origin, so visitors without a signed link must use the owner's site. */
  closed(form: OpenForm): void {
    const t = formTexts[this.lang];
    this.refuse(403, 'forbidden', t.closedTitle, t.closedText(form.project_name), form);
  }

  notFound(): void {
    const t = formTexts[this.lang];
    this.ctx.status = 404;
    this.respond(t.notFoundTitle, outcomeView('refused', t.notFoundTitle, t.notFoundText, null), null);
  }

  private refuse(status: number, code: ErrorCode, title: string, text: string, form: OpenForm): void {
    this.ctx.status = status;
    this.ctx.state['errorCode'] = code;
    this.respond(title, outcomeView('refused', title, text, form), form);
  }

  private respond(title: string, content: ReturnType<typeof outcomeView>, form: OpenForm | null): void {
    const { ctx, lang, address } = this;
    ctx.type = 'html';
    ctx.body = formDocument({ title, lang, content, address, form });
  }
}
