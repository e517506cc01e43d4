import { shareTurns } from '../../../src/domains/bots/share-turns';

describe('the turns of a bot', () => {
  const messages = (projectId: string, count: number, calls = 1) =>
    Array.from({ length: count }, () => ({ projectId, calls }));

  it('go to one project in the order of its messages', () => {
    expect(shareTurns(messages('a', 5), [], 3, 1)).toEqual({
      granted: [0, 1, 2],
      served: new Map([['a', 3]]),
    });
  });

  it('go to the projects in turn, however many messages one of them has', () => {
    const { granted } = shareTurns([...messages('a', 100), ...messages('b', 2)], [], 4, 1);
    expect(granted).toEqual([0, 100, 1, 101]);
  });

  it('are held back from a project that is ahead of one that waits elsewhere', () => {
    const waiting = [
      { projectId: 'a', served: 12 },
      { projectId: 'b', served: 10 },
    ];
    expect(shareTurns(messages('a', 5), waiting, 5, 2).granted).toEqual([]);
    expect(shareTurns(messages('b', 5), waiting, 5, 2).granted).toEqual([0, 1, 2, 3]);
  });

  it('begin level with the project that has been served least', () => {
    const waiting = [
      { projectId: 'a', served: 1_000 },
      { projectId: 'b', served: 1_003 },
    ];
    expect(shareTurns(messages('c', 1), waiting, 1, 2).served).toEqual(new Map([['c', 1_001]]));
  });

  it('count a message of two calls twice', () => {
    const { granted, served } = shareTurns([...messages('a', 3, 2), ...messages('b', 4)], [], 6, 1);
    expect(granted.filter((index) => index < 3)).toHaveLength(2);
    expect(served).toEqual(
      new Map([
        ['a', 4],
        ['b', 2],
      ]),
    );
  });
});
