import type { Context } from 'koa';
import type { Language } from '../contract/common';
import { demoTexts } from './demo-texts';
import { demoViews } from './demo-views';
import { readCookie, setHttpOnlyCookie } from './http-only-cookie';

/** Calls the API with the demo key, as the backend of a project would. */
export type CallApi = <T>(
  method: string,
  route: string,
  body?: unknown,
) => Promise<{ ok: true; body: T } | { ok: false; error: string }>;

/** The user who is logged in on the demo site. */
const USER_COOKIE = 'herald_demo_user';
const REQUEST_ID = /^[0-9a-f-]{36}$/;

export function rememberUser(ctx: Context, publicUrl: string, subscriberId: unknown): void {
  if (typeof subscriberId !== 'string') return;
  setHttpOnlyCookie(ctx, publicUrl, USER_COOKIE, subscriberId, { sameSite: 'lax', path: '/demo' });
}

/** Step-up: a logged-in user confirms a payment in the messenger. */
export async function paymentPage(ctx: Context, callApi: CallApi, language: Language): Promise<string> {
  const views = demoViews(language);
  const subscriberId = readCookie(ctx, USER_COOKIE);
  if (!subscriberId) return views.loginFirstPage();
  const message = demoTexts[language].paymentMessage;
  const request = await callApi<{ request_id: string; match_code: string }>('POST', '/v1/auth/requests', {
    subscriber_id: subscriberId,
    message,
    client_ip: ctx.ip,
    ...(ctx.get('user-agent') ? { user_agent: ctx.get('user-agent').slice(0, 200) } : {}),
  });
  return request.ok ? views.paymentPage({ ...request.body, message }) : views.errorPage(request.error);
}

export async function paymentStatus(ctx: Context, callApi: CallApi): Promise<object> {
  const id = ctx.query['id'];
  if (typeof id !== 'string' || !REQUEST_ID.test(id)) return { status: 'expired' };
  const poll = await callApi<{ status: string }>('GET', `/v1/auth/requests/${id}?wait=20`);
  return poll.ok ? { status: poll.body.status } : { status: 'pending' };
}
