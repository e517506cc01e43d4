import { readCookie } from '../../../src/base/http/http-only-cookie';

const withCookies = (header: string) => ({ get: () => header });

test.each([
  ['', 'a', undefined],
  ['a=1', 'a', '1'],
  ['ab=1; a=2', 'a', '2'],
  ['b=1;a=x=y ; c=3', 'a', 'x=y'],
  ['a=', 'a', ''],
  ['b=a=1', 'a', undefined],
])('of the cookies %j, %j is %j', (header, name, value) => {
  expect(readCookie(withCookies(header), name)).toBe(value);
});
