import { scheduleBy } from '../../../src/base/agenda';
import { withTransaction } from '../../../src/base/db/pool';
import { eventually } from '../../support/eventually';
import { agendaFixture, heldWork, newKind, rowOf, type AgendaFixture } from './fixture';

// Without the sweep, so that only notifications can wake the agenda.
jest.mock('../../../src/base/lib/sweep', () => ({ startSweep: () => ({ stop: () => {} }) }));

let fixture: AgendaFixture;
beforeAll(async () => {
  fixture = await agendaFixture();
});
afterEach(() => fixture.reset());
afterAll(() => fixture?.stop());

it('a commit wakes the agenda', async () => {
  const { calls, advance } = heldWork();
  const kind = newKind(advance);
  fixture.start(kind);
  const first = rowOf();
  await scheduleBy(fixture.database.pool, kind.name, [first]);
  await eventually(() => calls.length === 1);
  const second = rowOf();
  await withTransaction(fixture.database.pool, (db) => scheduleBy(db, kind.name, [second]));
  await eventually(() => calls.length === 2);
  expect(calls.map(({ id }) => id)).toEqual([first.id, second.id]);
  calls.forEach(({ end }) => end(null));
  await eventually(async () => (await fixture.entries(kind.name)).length === 0);
});

it.each([
  ['nothing is due later', null],
  ['it is due much later', new Date(Date.now() + 3_600_000)],
])('a change during the work is seen at once, although the work says that %s', async (_, next) => {
  const { calls, advance } = heldWork();
  const kind = newKind(advance);
  fixture.start(kind);
  const row = rowOf();
  await scheduleBy(fixture.database.pool, kind.name, [row]);
  await eventually(() => calls.length === 1);
  await scheduleBy(fixture.database.pool, kind.name, [row]);
  calls[0]!.end(next);
  await eventually(() => calls.length === 2);
  calls[1]!.end(null);
  await eventually(async () => (await fixture.entries(kind.name)).length === 0);
});

it('a free slot is filled without a notification', async () => {
  const { calls, advance } = heldWork();
  const kind = newKind(advance, { concurrency: 2, perProject: 2 });
  fixture.start(kind);
  const project = rowOf().project_id;
  await scheduleBy(
    fixture.database.pool,
    kind.name,
    Array.from({ length: 5 }, () => rowOf(project)),
  );
  for (let done = 0; done < 5; done += 1) {
    await eventually(() => calls.length > done);
    expect(calls.length - done).toBeLessThanOrEqual(2);
    calls[done]!.end(null);
  }
  await eventually(async () => (await fixture.entries(kind.name)).length === 0);
});

it('kinds can be added later', async () => {
  const kind = newKind(() => Promise.resolve(null));
  await scheduleBy(fixture.database.pool, kind.name, [rowOf()]);
  const agenda = fixture.start();
  agenda.add([kind]);
  await eventually(async () => (await fixture.entries(kind.name)).length === 0);
});
