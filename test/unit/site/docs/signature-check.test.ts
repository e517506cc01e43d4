import { createHmac } from 'node:crypto';
import { sign } from '../../../../src/domains/webhooks/signature';
import { checkSignature } from '../../../../web/docs/signature-check';

const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;
const body = '{"event":"otp.sent","data":{"first_name":"Аня 😀","url":"https://a.example/b"}}';
const NOW = 1_768_473_000;
const ID = '8c5c1f5a-6c1f-4c36-9f6b-0d8f2b7f9a11';

function serviceHeaders(t = NOW - 10, secrets = [secret]): string {
  return [
    'Content-Type: application/json',
    'X-Service-Event: otp.sent',
    `X-Service-Timestamp: ${t}`,
    `X-Service-Delivery-Id: ${ID}`,
    `X-Service-Signature: ${sign(body, secrets, t)}`,
  ].join('\n');
}

function standardHeaders(t = NOW - 10, signedId = ID): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const mac = createHmac('sha256', key).update(`${signedId}.${t}.${body}`).digest('base64');
  return `webhook-id: ${ID}\nwebhook-timestamp: ${t}\nwebhook-signature: v1,AAAA v1,${mac}`;
}

const check = (given: Partial<Parameters<typeof checkSignature>[0]>) =>
  checkSignature({ headers: serviceHeaders(), body, secret, nowSeconds: NOW, ...given });
const titles = async (given: Parameters<typeof check>[0]) => (await check(given)).map(({ title }) => title);

describe('the signature debugger', () => {
  it('finds a genuine request valid, by either family of headers', async () => {
    expect(await check({})).toMatchObject([{ state: 'good', title: 'X-Service-Signature is valid' }]);
    expect(await titles({ headers: standardHeaders() })).toEqual(['webhook-signature is valid']);
    expect(await titles({ headers: `${serviceHeaders()}\n${standardHeaders()}` })).toEqual([
      'X-Service-Signature is valid',
      'webhook-signature is valid',
    ]);
  });

  it('takes the signatures of a rotation, and headers as other tools print them', async () => {
    expect(await titles({ headers: serviceHeaders(NOW, [other, secret]) })).toEqual([
      'X-Service-Signature is valid',
    ]);
    const dumped = serviceHeaders().replaceAll(
      /^(.*?): (.*)$/gm,
      (_all, name: string, value: string) => `  "${name.toLowerCase()}": "${value}",`,
    );
    expect(await titles({ headers: `{\n${dumped}\n}` })).toEqual(['X-Service-Signature is valid']);
    expect(await titles({ headers: sign(body, [secret], NOW) })).toEqual(['X-Service-Signature is valid']);
  });

  it('says that the time is old, or ahead', async () => {
    const [old] = await check({ headers: serviceHeaders(NOW - 3 * 3_600) });
    expect(old).toMatchObject({ state: 'warn', title: 'X-Service-Signature is valid, but old' });
    expect(old?.text).toContain('3 hours ago');
    expect(await titles({ headers: serviceHeaders(NOW + 7_200) })).toEqual([
      'X-Service-Signature is valid, but from the future',
    ]);
  });

  it('says that the secret is wrong', async () => {
    expect(await titles({ secret: 'hk_0123' })).toEqual(['X-Service-Signature: wrong secret']);
    expect(await titles({ secret: other })).toEqual([
      'X-Service-Signature: wrong secret, or a changed value',
    ]);
  });

  it('says that the secret was not copied exactly', async () => {
    const title = 'X-Service-Signature: the secret is not copied exactly';
    expect(await titles({ secret: ` ${secret}\n` })).toEqual([title]);
    expect(await titles({ secret: `"${secret}"` })).toEqual([title]);
    const [bare] = await check({ secret: secret.slice('whsec_'.length) });
    expect(bare).toMatchObject({ title, text: expect.stringContaining('whsec_') });
  });

  it.each([
    ['formatted', JSON.stringify(JSON.parse(body), null, 2)],
    ['serialized by another language', body.replaceAll('/', '\\/')],
    ['with a line end after it', `${body}\n`],
    ['cut off', body.slice(0, -5)],
    ['of another event', body.replace('otp.sent', 'otp.verified')],
    [
      'with another value and spaces',
      JSON.stringify({ event: 'otp.sent', data: { first_name: 'Bob' } }, null, 1),
    ],
  ])('says that the body was changed: %s', async (_name, changed) => {
    expect(await titles({ body: changed })).toEqual(['X-Service-Signature: the body was changed']);
    expect(
      await titles({ body: changed, headers: `X-Service-Event: otp.sent\n${standardHeaders()}` }),
    ).toEqual(['webhook-signature: the body was changed']);
  });

  it('says that the time was changed', async () => {
    const headers = serviceHeaders().replace(`t=${NOW - 10}`, `t=${NOW}`);
    expect(await titles({ headers })).toEqual(['X-Service-Signature: the time was changed']);
  });

  it('says what is missing or malformed', async () => {
    expect(await titles({ headers: 'Host: a.example' })).toEqual(['No signature header']);
    expect(await titles({ headers: 'X-Service-Signature: sha256=00' })).toEqual([
      'X-Service-Signature is malformed',
    ]);
    expect(await titles({ headers: 'webhook-signature: v1,AAAA' })).toEqual([
      'webhook-signature is incomplete',
    ]);
    const [incomplete] = await check({ body: '', secret: '' });
    expect(incomplete?.text).toBe('Paste the body and the secret as well.');
  });
});
