import { distinct } from '../../../activities/distinct';

const [sendPage, importPage] = [async () => 1, async () => 2];

test('the activities of a queue are those of all its workflows', () => {
  expect(distinct({ sendPage }, { importPage })).toEqual({ sendPage, importPage });
});

test('two activities of one queue with the same name are refused at the start', () => {
  expect(() => distinct({ sendPage }, { importPage, sendPage })).toThrow(/called sendPage/);
});
