import { maskPassword } from '../../../src/base/lib/mask-password';

test.each([
  ['postgres://herald:hunter2@db:5432/herald', 'postgres://herald:***@db:5432/herald'],
  [
    'postgres://herald:hunter%402@db/herald?sslmode=require',
    'postgres://herald:***@db/herald?sslmode=require',
  ],
  ['postgres://db/herald?user=herald&password=hunter2', 'postgres://db/herald?user=herald&password=***'],
  ['postgres://db/herald?sslpassword=hunter2', 'postgres://db/herald?sslpassword=***'],
  ['postgres://herald@db/herald', 'postgres://herald@db/herald'],
])('%s is shown as %s', (url, shown) => {
  expect(maskPassword(url)).toBe(shown);
});
