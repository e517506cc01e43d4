import type { Context } from 'koa';
import { isAllowedOrigin, originOf } from '../../../src/domains/forms/origins';

const from = (headers: Record<string, string>) =>
  originOf({ get: (name: string) => headers[name] ?? '' } as Pick<Context, 'get'>);

it.each<[Record<string, string>, string | null]>([
  [{ origin: 'https://Shop.example' }, 'https://shop.example'],
  [{ referer: 'https://shop.example/page?x=1' }, 'https://shop.example'],
  [{ origin: 'https://evil.example', referer: 'https://shop.example/' }, 'https://evil.example'],
  // A sandboxed frame in a page of the shop is not the shop.
  [{ origin: 'null', referer: 'https://shop.example/' }, 'null'],
  [{ referer: 'about:client' }, 'null'],
  [{ referer: 'no address' }, null],
  [{}, null],
])('a request with %j comes from %s', (headers, origin) => expect(from(headers)).toBe(origin));

const list = [
  'https://shop.example',
  'https://port.example:8443',
  'https://*.any.example',
  'http://localhost:3000',
];

it.each<[string | null, boolean, boolean]>([
  ['https://shop.example', true, true],
  ['https://shop.example:8443', false, false],
  ['https://port.example:8443', true, true],
  ['https://port.example', false, false],
  ['https://a.any.example', true, true],
  ['https://a.b.any.example', true, true],
  ['https://any.example', false, false],
  ['https://a.any.example:8443', false, false],
  ['https://evil.example/.any.example', false, false],
  ['https://evilany.example', false, false],
  ['https://user@a.any.example', false, false],
  ['http://shop.example', false, false],
  ['http://a.any.example', false, false],
  ['http://localhost:3000', false, true],
  ['http://localhost:3001', false, false],
  ['null', false, false],
  [null, false, false],
])('%s: in production %s, in development %s', (origin, production, development) => {
  expect(isAllowedOrigin(list, origin, { development: false })).toBe(production);
  expect(isAllowedOrigin(list, origin, { development: true })).toBe(development);
});

it('`*` allows any, an empty list none', () => {
  for (const origin of ['https://shop.example', 'null', null]) {
    expect(isAllowedOrigin(['*'], origin, { development: false })).toBe(true);
    expect(isAllowedOrigin([], origin, { development: true })).toBe(false);
  }
});
