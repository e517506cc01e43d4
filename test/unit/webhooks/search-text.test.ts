import { parseSearchText } from '../../../src/domains/webhooks/search-text';

test('a text is taken apart into the words that the index has', () => {
  expect(parseSearchText('anna@example.com')).toMatchObject({
    words: ['anna', 'example', 'com'],
    isPrefix: true,
  });
  expect(parseSearchText('"external_id":"user')).toMatchObject({ words: ['external', 'id', 'user'] });
  expect(parseSearchText('Анна Каренина')).toMatchObject({ words: ['Анна', 'Каренина'] });
});

test('a short last word is left to the comparison with the body', () => {
  expect(parseSearchText('user-4')).toMatchObject({ words: ['user'], isPrefix: false });
  expect(parseSearchText('42')).toMatchObject({ words: [] });
  expect(parseSearchText('---')).toMatchObject({ words: [] });
});

test('a text is compared as given and as JSON writes it', () => {
  expect(parseSearchText('say "hello"')).toMatchObject({
    given: 'say "hello"',
    escaped: 'say \\"hello\\"',
  });
  expect(parseSearchText('hello')).toMatchObject({ given: 'hello', escaped: 'hello' });
});
