import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { deliveryHeaders, serviceHeaders } from '../../../src/domains/webhooks/headers';
import { sign } from '../../../src/domains/webhooks/signature';
import {
  isValidWebhook as isValid,
  verifySignature as verify,
  WebhookVerificationError,
} from '../../../sdk/typescript/src';

const secretArb = fc.string({ minLength: 1, maxLength: 60 });
const bodyArb = fc.uint8Array({ maxLength: 300 });
const timeArb = fc.integer({ min: 0, max: 4_102_444_800 });
const secret = 'whsec_YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY';

/** HMAC from its definition (RFC 2104), so that the check shares nothing with the code it checks. */
function hmacByHand(key: Buffer, message: Buffer): string {
  const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
  const block = Buffer.alloc(64);
  (key.length > 64 ? sha256(key) : key).copy(block);
  const inner = sha256(Buffer.from(block.map((byte) => byte ^ 0x36)), message);
  return sha256(Buffer.from(block.map((byte) => byte ^ 0x5c)), inner).toString('hex');
}

/** Stripe's published steps, written out: split, join with a dot, hash, compare with every v1. */
function stripeStyleAccepts(payload: Buffer, header: string, endpointSecret: string): boolean {
  const pairs = header.split(',').map((item) => item.split('=', 2) as [string, string]);
  const timestamp = pairs.find(([key]) => key === 't')?.[1] ?? '';
  const message = Buffer.concat([Buffer.from(`${timestamp}.`), payload]);
  const expected = hmacByHand(Buffer.from(endpointSecret, 'utf8'), message);
  return pairs.some(([key, value]) => key === 'v1' && value === expected);
}

describe('signing', () => {
  it('gives the known value for a known secret, time and body', () => {
    const body = '{"event":"auth.completed","data":{"first_name":"Аня"}}';
    const expected = hmacByHand(Buffer.from(secret), Buffer.from(`1700000000.${body}`));
    expect(sign(body, [secret], 1_700_000_000)).toBe(`t=1700000000,v1=${expected}`);
    expect(sign(Buffer.from(body), [secret], 1_700_000_000)).toBe(`t=1700000000,v1=${expected}`);
  });

  it('is accepted by an independent verifier, with any secret, time and bytes', () => {
    fc.assert(
      fc.property(bodyArb, secretArb, timeArb, (body, key, t) => {
        return stripeStyleAccepts(Buffer.from(body), sign(body, [key], t), key);
      }),
    );
  });

  it('during a rotation carries one v1 per secret, the newest first, and each secret alone is enough', () => {
    fc.assert(
      fc.property(
        bodyArb,
        fc.uniqueArray(secretArb, { minLength: 2, maxLength: 4 }),
        timeArb,
        (body, keys, t) => {
          const header = sign(body, keys, t);
          const alone = keys.map((key) => sign(body, [key], t).split(',')[1]);
          expect(header.split(',').slice(1)).toEqual(alone);
          return keys.every(
            (key) => isValid(body, header, key) && stripeStyleAccepts(Buffer.from(body), header, key),
          );
        },
      ),
    );
  });

  it('refuses to send anything unsigned', () => {
    expect(() => sign('{}', [], 1)).toThrow('signing secret');
  });

  it('puts all metadata into the four headers, the timestamp twice', () => {
    const delivery = {
      deliveryId: 'd1',
      event: 'otp.sent',
      body: '{}',
      secrets: [secret],
      timestampSeconds: 77,
    };
    expect(serviceHeaders(delivery)).toEqual({
      'X-Service-Event': 'otp.sent',
      'X-Service-Timestamp': '77',
      'X-Service-Delivery-Id': 'd1',
      'X-Service-Signature': sign('{}', [secret], 77),
    });
    expect(deliveryHeaders(delivery)).toMatchObject({
      'Content-Type': 'application/json',
      'User-Agent': 'Herald-Webhooks/1',
      'X-Service-Delivery-Id': 'd1',
    });
  });
});

describe('verifying', () => {
  const failureOf = (...request: Parameters<typeof verify>): string => {
    try {
      verify(...request);
      return 'accepted';
    } catch (error) {
      if (error instanceof WebhookVerificationError) return error.reason;
      throw error;
    }
  };

  it('returns the time of the signature, from text and from bytes', () => {
    const header = sign('{"a":"é"}', [secret], 1_700_000_000);
    expect(verify('{"a":"é"}', header, secret)).toEqual({ timestamp: 1_700_000_000 });
    expect(verify(Buffer.from('{"a":"é"}'), header, secret)).toEqual({ timestamp: 1_700_000_000 });
  });

  it('one changed byte of the body, the time or the signature is refused', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        timeArb,
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (body, t, position, flip) => {
          const header = sign(body, [secret], t);
          const changed = Uint8Array.from(body);
          changed[position % body.length]! ^= flip;
          const otherTime = header.replace(`t=${t}`, `t=${t + 1}`);
          const digit = header.length - 1 - (position % 64);
          const otherDigit = header[digit] === '0' ? '1' : '0';
          const otherSignature = header.slice(0, digit) + otherDigit + header.slice(digit + 1);
          expect(failureOf(changed, header, secret)).toBe('no_match');
          expect(failureOf(body, otherTime, secret)).toBe('no_match');
          expect(failureOf(body, otherSignature, secret)).toBe('no_match');
        },
      ),
    );
  });

  it('another secret is refused; a list of secrets needs one that fits', () => {
    const header = sign('{}', [secret], 5);
    expect(failureOf('{}', header, `${secret}x`)).toBe('no_match');
    expect(failureOf('{}', header, ['whsec_other', secret])).toBe('accepted');
    expect(failureOf('{}', header, ['whsec_other', 'whsec_third'])).toBe('no_match');
  });

  it('accepts a right v1 in any place among wrong ones and among schemes it does not know', () => {
    const noise = fc.array(
      fc.oneof(
        fc.stringMatching(/^v1=[0-9a-f]{0,70}$/),
        fc.stringMatching(/^v[0235-9]=[0-9a-zA-Z=]{0,70}$/),
        fc.constantFrom('', 'v1', 'v1=', '=', 'x', ' '),
      ),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(bodyArb, timeArb, noise, noise, (body, t, before, after) => {
        const [time, signature] = sign(body, [secret], t).split(',') as [string, string];
        return isValid(body, [...before, signature, time, ...after].join(', '), secret);
      }),
    );
  });

  it('never crashes on a garbage header, and never accepts one', () => {
    const garbage = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.stringMatching(/^[tv1=,. 0-9a-f]{0,200}$/),
      fc.constantFrom(null, undefined, '', [] as string[], ['', '']),
    );
    fc.assert(
      fc.property(bodyArb, garbage, (body, header) => !isValid(body, header, secret)),
      { numRuns: 500 },
    );
  });

  it.each([
    [undefined, 'missing_header'],
    ['', 'missing_header'],
    ['v1=00', 'malformed_header'],
    ['t=5', 'malformed_header'],
    ['t=,v1=00', 'malformed_header'],
    ['t=-5,v1=00', 'malformed_header'],
    ['t=5e3,v1=00', 'malformed_header'],
    ['t=5,t=6,v1=00', 'malformed_header'],
    ['t=5,v1=00', 'no_match'],
  ])('says what is wrong with %p: %s', (header, reason) => {
    expect(failureOf('{}', header, secret)).toBe(reason);
  });

  it('wants the hex in lower case, as the specification writes it', () => {
    const header = sign('{}', [secret], 5);
    expect(failureOf('{}', header.toUpperCase().replace('T=', 't=').replace('V1=', 'v1='), secret)).toBe(
      'no_match',
    );
  });

  it('has no replay window unless asked for one', () => {
    const anHourAgo = Math.floor(Date.now() / 1000) - 3_600;
    const header = sign('{}', [secret], anHourAgo);
    expect(failureOf('{}', header, secret)).toBe('accepted');
    expect(failureOf('{}', header, secret, { toleranceSeconds: 7_200 })).toBe('accepted');
    expect(failureOf('{}', header, secret, { toleranceSeconds: 60 })).toBe('outside_tolerance');
    const nextHour = sign('{}', [secret], anHourAgo + 7_200);
    expect(failureOf('{}', nextHour, secret, { toleranceSeconds: 60 })).toBe('outside_tolerance');
  });

  it("a receiver's own mistake is distinguished from a bad request", () => {
    const header = sign('{}', [secret], 5);
    expect(() => verify({ event: 'x' } as unknown as string, header, secret)).toThrow(TypeError);
    for (const missing of [undefined, '', [], [''], null]) {
      expect(() => isValid('{}', header, missing as unknown as string)).toThrow('secret is missing');
    }
  });
});
