import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret } from '../../../src/base/lib/tokens';
import { deliveryHeaders, standardHeaders } from '../../../src/domains/webhooks/headers';
import {
  isValidWebhook as isValid,
  verifySignature as verify,
  WebhookVerificationError,
} from '../../../sdk/typescript/src';

const body = '{"event":"otp.sent","data":{"first_name":"Аня 😀"}}';
const now = () => Math.floor(Date.now() / 1000);
const delivery = (secrets: string[], more: { body?: string; timestampSeconds?: number } = {}) => ({
  deliveryId: 'd1',
  event: 'otp.sent',
  body,
  secrets,
  timestampSeconds: now(),
  ...more,
});

test('a new secret is whsec_ and 44 characters of standard base64', () => {
  expect(newWebhookSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});

test('the official library accepts any body, and refuses another one', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const secret = newWebhookSecret();
      const headers = standardHeaders(delivery([secret], { body: text }));
      expect(new Webhook(secret).verify(text, headers)).toEqual(JSON.parse(text));
      expect(() => new Webhook(secret).verify(`${text} `, headers)).toThrow();
      expect(() => new Webhook(newWebhookSecret()).verify(text, headers)).toThrow();
    }),
  );
});

test('during a rotation the official library accepts the new secret and the old one', () => {
  const [newest, older] = [newWebhookSecret(), newWebhookSecret()];
  const headers = standardHeaders(delivery([newest, older]));
  expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
  for (const secret of [newest, older]) new Webhook(secret).verify(body, headers);
});

describe('verify with all headers of a request', () => {
  const secret = newWebhookSecret();
  const reasonOf = (headers: Record<string, string | string[]>, secrets: string | string[] = secret) => {
    try {
      verify(body, headers, secrets);
      return 'accepted';
    } catch (error) {
      if (error instanceof WebhookVerificationError) return error.reason;
      throw error;
    }
  };
  const lowerCase = (headers: Record<string, string>) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

  test('takes either family, from Node, from a Headers object and from an object made by hand', () => {
    const all = deliveryHeaders(delivery([secret]));
    expect(verify(body, lowerCase(all), secret)).toEqual({ timestamp: Number(all['webhook-timestamp']) });
    expect(isValid(body, new Headers(all), secret)).toBe(true);
    expect(isValid(body, all, secret)).toBe(true);
    const standard = standardHeaders(delivery([secret]));
    expect(isValid(body, standard, secret)).toBe(true);
    expect(isValid(Buffer.from(body), new Headers(standard), ['whsec_' + 'A'.repeat(43), secret])).toBe(true);
  });

  test('takes what the official library signs', () => {
    const at = new Date();
    const signature = new Webhook(secret).sign('d1', at, body);
    const seconds = String(Math.floor(at.getTime() / 1000));
    const headers = { 'webhook-id': 'd1', 'webhook-timestamp': seconds, 'webhook-signature': signature };
    expect(verify(body, headers, secret)).toEqual({ timestamp: Number(seconds) });
  });

  test('refuses what is changed, missing or malformed, and says which', () => {
    const standard = standardHeaders(delivery([secret]));
    expect(reasonOf({ ...standard, 'webhook-id': 'd2' })).toBe('no_match');
    expect(reasonOf({ ...standard, 'webhook-timestamp': '5' })).toBe('no_match');
    expect(reasonOf({ ...standard, 'webhook-signature': `v1,${'A'.repeat(44)}` })).toBe('no_match');
    expect(reasonOf({ ...standard, 'webhook-signature': 'v2,x' })).toBe('malformed_header');
    expect(reasonOf({ ...standard, 'webhook-timestamp': 'soon' })).toBe('malformed_header');
    expect(reasonOf({ 'webhook-id': 'd1' })).toBe('missing_header');
    expect(reasonOf({})).toBe('missing_header');
    expect(reasonOf(standard, newWebhookSecret())).toBe('no_match');
    // A wrong X-Service-Signature is not made good by the other family.
    expect(reasonOf({ ...standard, 'x-service-signature': 't=5,v1=00' })).toBe('no_match');
  });

  test('a secret that holds no key is a mistake of the receiver', () => {
    const standard = standardHeaders(delivery([secret]));
    expect(() => isValid(body, standard, 'whsec_')).toThrow(TypeError);
    expect(() => isValid(body, standard, 'whsec_short')).toThrow(TypeError);
  });

  test('has no replay window unless asked for one', () => {
    const old = standardHeaders(delivery([secret], { timestampSeconds: now() - 3_600 }));
    expect(isValid(body, old, secret)).toBe(true);
    expect(isValid(body, old, secret, { toleranceSeconds: 60 })).toBe(false);
  });
});
