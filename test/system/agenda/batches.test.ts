import { randomUUID } from 'node:crypto';
import { AFTER_REQUEST, batchKind, beginNow, MORE, scheduleAt, unschedule } from '../../../src/base/agenda';
import { eventually } from '../../support/eventually';
import { agendaFixture, rowOf, type AgendaFixture } from './fixture';

let fixture: AgendaFixture;
beforeAll(async () => {
  fixture = await agendaFixture();
});
afterEach(() => fixture.reset());
afterAll(() => fixture?.stop());

/** Work in a few batches for each entry; the last batch removes the entry. */
function batches(count: number) {
  const name = `test-${randomUUID()}`;
  const done: string[] = [];
  const running = new Map<string, number>();
  let together = 0;
  return {
    name,
    done,
    /** The most batches of one project that ran at once. */
    together: () => together,
    async nextBatch({ id, project_id }: { id: string; project_id: string }) {
      const begun = (running.get(project_id) ?? 0) + 1;
      running.set(project_id, begun);
      together = Math.max(together, begun);
      done.push(id);
      const isLast = done.filter((each) => each === id).length >= count;
      if (isLast) await unschedule(fixture.database.pool, name, [id]);
      running.set(project_id, begun - 1);
      return isLast ? null : MORE;
    },
  };
}

const schedule = (name: string, row: { id: string; project_id: string }) =>
  scheduleAt(fixture.database.pool, name, [{ ...row, at: AFTER_REQUEST }]);

describe('work in batches', () => {
  it('is done to its end, one batch of a project at a time', async () => {
    const work = batches(3);
    const row = rowOf();
    const rows = [row, rowOf(row.project_id), rowOf()];
    await scheduleAt(fixture.database.pool, work.name, rows);
    fixture.start(batchKind(work));
    await eventually(async () => (await fixture.entries(work.name)).length === 0);
    expect([...work.done].sort()).toEqual(rows.flatMap(({ id }) => [id, id, id]).sort());
    expect(work.together()).toBe(1);
  });

  it('is done by the request that begins it, while no worker claims it', async () => {
    const work = batches(3);
    const row = rowOf();
    await schedule(work.name, row);
    expect(await fixture.entries(work.name)).toEqual([{ id: row.id, is_due: false, is_leased: false }]);
    await beginNow(fixture.database.pool, work, row);
    expect(work.done).toEqual([row.id, row.id, row.id]);
    expect(await fixture.entries(work.name)).toEqual([]);
  });

  it('does not fail its request if it fails there, and is done by a worker', async () => {
    const work = batches(2);
    const row = rowOf();
    await schedule(work.name, row);
    await beginNow(
      fixture.database.pool,
      { ...work, nextBatch: () => Promise.reject(new Error('killed')) },
      row,
    );
    expect(await fixture.entries(work.name)).toEqual([{ id: row.id, is_due: false, is_leased: false }]);
    await fixture.database.pool.query('UPDATE agenda SET due_at = now() WHERE kind = $1', [work.name]);
    fixture.start(batchKind(work));
    await eventually(async () => (await fixture.entries(work.name)).length === 0);
    expect(work.done).toEqual([row.id, row.id]);
  });

  it('is due at once when the time of its request is over', async () => {
    const work = batches(1_000_000);
    const row = rowOf();
    await schedule(work.name, row);
    const now = jest.spyOn(performance, 'now');
    const begun = performance.now();
    // The second time that it reads the clock, the limit has passed.
    now.mockReturnValueOnce(begun).mockReturnValueOnce(begun + 60_000);
    await beginNow(fixture.database.pool, work, row);
    now.mockRestore();
    expect(await fixture.entries(work.name)).toEqual([{ id: row.id, is_due: true, is_leased: false }]);
  });
});
