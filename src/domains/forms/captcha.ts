import { Agent } from 'undici';
import { AppError } from '../../base/contract/errors';
import { KIB, limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { createVettedConnector } from '../../base/outbound/dial';
import { captchaPurpose } from './forms';
import type { FormRow } from './queries/forms';

const TIMEOUT_MS = limits.formCaptchaSeconds * 1000;
const RESPONSE_BYTES = 64 * KIB;
const ANSWER_LENGTH = 8_192;

/** Asks the captcha's service whether a person has solved it. Throws `captcha_failed` unless it says so in time. */
export async function checkCaptcha(
  { cipher, config, log }: Pick<Core, 'cipher' | 'config' | 'log'>,
  form: Pick<FormRow, 'id' | 'captcha_url' | 'captcha_sealed'>,
  answer: unknown,
  remoteip: string,
): Promise<void> {
  if (form.captcha_url === null || form.captcha_sealed === null) return;
  if (typeof answer !== 'string' || answer === '' || answer.length > ANSWER_LENGTH) {
    throw new AppError('captcha_failed');
  }
  const secret = cipher.decrypt(form.captcha_sealed, captchaPurpose, form.id);
  const body = new URLSearchParams({ secret, response: answer, remoteip }).toString();
  const isSolved = await verify(new URL(form.captcha_url), body, config.allowLocalWebhooks).catch(
    (err: unknown) => {
      log.info({ err, form_id: form.id }, 'the captcha service of a form did not answer');
      return false;
    },
  );
  if (!isSolved) throw new AppError('captcha_failed');
}

/** Connects to vetted addresses only, as webhooks do, and follows no redirect. */
async function verify(url: URL, body: string, allowLocal: boolean): Promise<boolean> {
  const connect = createVettedConnector({ allowLocal, timeoutMs: TIMEOUT_MS });
  const agent = new Agent({ connect, connections: 1, maxResponseSize: RESPONSE_BYTES });
  try {
    const response = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.body.text();
    if (response.statusCode !== 200) return false;
    return (JSON.parse(text) as { success?: unknown } | null)?.success === true;
  } finally {
    await agent.destroy();
  }
}
