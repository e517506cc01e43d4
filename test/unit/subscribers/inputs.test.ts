import { checkColumns } from '../../../src/domains/subscribers/import-row';
import { parseInitData } from '../../../src/domains/subscribers/mini-app/init-data';

test('names in init_data that cannot be stored are replaced as in the updates of a bot', () => {
  const user = '{"id":7,"first_name":"A\\u0000\\ud800","username":"b\\udc00"}';
  const text = new URLSearchParams({ user, auth_date: '1', hash: '0'.repeat(64) }).toString();
  expect(parseInitData(text)?.user).toMatchObject({ firstName: 'A\ufffd\ufffd', username: 'b\ufffd' });
});

test('an import refuses a property that would be ignored', () => {
  expect(() => checkColumns(['external_id', 'properties.plan'])).not.toThrow();
  expect(() => checkColumns(['external_id', 'properties.__proto__'])).toThrow(/is not a column of an import/);
});
