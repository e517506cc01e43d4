import { localUrl } from '../../../src/base/http/server';

test.each([
  ['127.0.0.1', 'http://127.0.0.1:3000'],
  ['192.0.2.7', 'http://192.0.2.7:3000'],
  ['localhost', 'http://localhost:3000'],
  ['::1', 'http://[::1]:3000'],
  // Every address of the machine, so also loopback.
  ['0.0.0.0', 'http://127.0.0.1:3000'],
  ['::', 'http://127.0.0.1:3000'],
])('this machine reaches a server that listens on %s at %s', (host, url) => {
  expect(localUrl(host, 3000)).toBe(url);
});
