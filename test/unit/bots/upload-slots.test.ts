import { setImmediate as nextTurn } from 'node:timers/promises';
import { UploadSlots } from '../../../src/domains/bots/media/slots';

describe('upload slots', () => {
  function start(slots: UploadSlots) {
    const running: string[] = [];
    const ends = new Map<string, () => void>();
    return {
      running,
      run(owner: string, name: string) {
        return slots.run(owner, async () => {
          running.push(name);
          await new Promise<void>((resolve) => ends.set(name, resolve));
        });
      },
      async end(name: string) {
        ends.get(name)?.();
        await nextTurn();
      },
    };
  }

  it('bound the uploads of the process and of each owner, and leave nobody waiting', async () => {
    const { running, run, end } = start(new UploadSlots(3, 2));
    const all = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('b', 'b2')];
    await nextTurn();
    expect(running).toEqual(['a1', 'a2', 'b1']);
    await end('b1');
    // The owner of a3 has both its slots in use.
    expect(running).toEqual(['a1', 'a2', 'b1', 'b2']);
    await end('a1');
    expect(running.at(-1)).toBe('a3');
    for (const name of ['a2', 'a3', 'b2']) await end(name);
    await Promise.all(all);
  });

  it('are free again after a failure', async () => {
    const slots = new UploadSlots(1, 1);
    await expect(slots.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    await expect(slots.run('a', () => Promise.resolve('done'))).resolves.toBe('done');
  });
});
