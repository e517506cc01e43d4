import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { makeDue, PARKED, resumeEntries, scheduleAt, scheduleBy, unschedule } from '../../../src/base/agenda';
import { claimEntries, finishEntry, type Entry } from '../../../src/base/agenda/queries';
import { packageRoot } from '../../../src/base/lib/package-root';
import { eventually } from '../../support/eventually';
import { agendaFixture, heldWork, newKind, rowOf, type AgendaFixture } from './fixture';

let fixture: AgendaFixture;
beforeAll(async () => {
  fixture = await agendaFixture();
});
afterEach(() => fixture.reset());
afterAll(() => fixture?.stop());

const HOUR = 3_600_000;
const inAnHour = () => new Date(Date.now() + HOUR);
const FIRST = '00000000-0000-0000-0000-000000000000';

function claim(kind: string): Promise<Entry[]> {
  return claimEntries(
    fixture.database.pool,
    [{ kind, limit: 16, perProject: 8, leaseMs: 30_000, after: FIRST }],
    [],
  );
}

/** Many due entries of one project, older than any that a test writes. */
function insertDue(kind: string, projectId: string, count: number): Promise<unknown> {
  return fixture.database.pool.query(
    `INSERT INTO agenda (kind, id, project_id, due_at)
     SELECT $1, gen_random_uuid(), $2, now() - interval '1 hour' FROM generate_series(1, $3)`,
    [kind, projectId, count],
  );
}

describe('what is due', () => {
  it('is done once by two processes, and its entry is removed when nothing is due later', async () => {
    const done: string[] = [];
    const kind = newKind(({ id }) => {
      done.push(id);
      return Promise.resolve(null);
    });
    const rows = Array.from({ length: 200 }, (_, n) =>
      rowOf(n % 2 ? FIRST.replace(/0$/, '1') : randomUUID()),
    );
    await scheduleBy(fixture.database.pool, kind.name, rows);
    fixture.start(kind);
    fixture.start(kind);
    await eventually(async () => (await fixture.entries(kind.name)).length === 0);
    expect(done.sort()).toEqual(rows.map(({ id }) => id).sort());
  });

  it('is done at the time of its row, and again when the work says so', async () => {
    const row = rowOf();
    const done: string[] = [];
    const kind = newKind(({ id }) => {
      done.push(id);
      return Promise.resolve(done.length === 1 ? { inMs: 0 } : inAnHour());
    });
    await scheduleAt(fixture.database.pool, kind.name, [{ ...row, at: inAnHour() }]);
    const other = newKind(() => Promise.resolve(null));
    await scheduleBy(fixture.database.pool, other.name, [rowOf()]);
    fixture.start(kind, other);
    await eventually(async () => (await fixture.entries(other.name)).length === 0);
    expect(done).toEqual([]);
    await scheduleBy(fixture.database.pool, kind.name, [row]);
    await eventually(async () => {
      expect(done).toEqual([row.id, row.id]);
      expect(await fixture.entries(kind.name)).toEqual([{ id: row.id, is_due: false, is_leased: false }]);
      return true;
    });
  });

  it('is not postponed by scheduleBy, only by scheduleAt; a removed entry is not done', async () => {
    const { pool } = fixture.database;
    const [row, removed] = [rowOf(), rowOf()];
    const name = randomUUID();
    await scheduleBy(pool, name, [row, removed]);
    await scheduleBy(pool, name, [{ ...row, at: inAnHour() }]);
    await unschedule(pool, name, [removed.id]);
    expect(await fixture.entries(name)).toEqual([{ id: row.id, is_due: true, is_leased: false }]);
    await scheduleAt(pool, name, [{ ...row, at: inAnHour() }]);
    expect(await claim(name)).toEqual([]);
  });

  it('of a kind can be made due as a whole, except what is parked', async () => {
    const { pool } = fixture.database;
    const name = randomUUID();
    const at = inAnHour();
    await scheduleAt(pool, name, [
      ...Array.from({ length: 2_100 }, () => ({ ...rowOf(), at })),
      { ...rowOf(), at: PARKED },
    ]);
    expect(await makeDue(pool, name)).toBe(2_100);
    expect((await fixture.entries(name)).filter(({ is_due }) => is_due)).toHaveLength(2_100);
    await pool.query('DELETE FROM agenda WHERE kind = $1', [name]);
  });

  it('is due again later if it fails, and delays nothing else', async () => {
    const [failing, fine] = [rowOf(), rowOf()];
    const kind = newKind(
      ({ id }) => (id === failing.id ? Promise.reject(new Error('broken')) : Promise.resolve(null)),
      { concurrency: 1, perProject: 1 },
    );
    await scheduleBy(fixture.database.pool, kind.name, [failing]);
    await scheduleBy(fixture.database.pool, kind.name, [{ ...fine, project_id: failing.project_id }]);
    fixture.start(kind);
    await eventually(async () => {
      expect(await fixture.entries(kind.name)).toEqual([{ id: failing.id, is_due: false, is_leased: false }]);
      return true;
    });
  });
});

describe('a process that dies', () => {
  /** A real process: it claims, and is killed before it has a result. */
  async function claimAndDie(kind: string): Promise<void> {
    const script = `
      const { startAgenda } = require('./dist/src/base/agenda');
      const { createPool } = require('./dist/src/base/db/pool');
      const pool = createPool({ url: process.env.URL });
      const log = { warn: console.error };
      const advance = () => new Promise(() => process.stdout.write('claimed'));
      startAgenda({ pool, log, notifications: { on: () => () => {} } },
        [{ name: '${kind}', concurrency: 1, perProject: 1, advance }]);`;
    const child = spawn(process.execPath, ['-e', script], {
      cwd: packageRoot,
      env: { ...process.env, URL: fixture.database.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
    } finally {
      child.kill('SIGKILL');
    }
    await once(child, 'close');
  }

  it('between claim and result: another process does the work when the lease ends', async () => {
    const row = rowOf();
    const done: string[] = [];
    const kind = newKind(({ id }) => {
      done.push(id);
      return Promise.resolve(null);
    });
    await scheduleBy(fixture.database.pool, kind.name, [row]);
    await claimAndDie(kind.name);
    expect(await fixture.entries(kind.name)).toEqual([{ id: row.id, is_due: true, is_leased: true }]);
    expect(await claim(kind.name)).toEqual([]);
    fixture.start(kind);
    await fixture.endLeases(kind.name);
    await eventually(async () => (await fixture.entries(kind.name)).length === 0);
    expect(done).toEqual([row.id]);
  });

  it('but goes on after its lease writes no result', async () => {
    const { pool } = fixture.database;
    const name = randomUUID();
    await scheduleBy(pool, name, [rowOf()]);
    const [late] = await claim(name);
    await fixture.endLeases(name);
    const [current] = await claim(name);
    expect(current).toMatchObject({ id: late!.id });
    for (const next of [null, inAnHour()]) {
      await finishEntry(pool, late!, next);
      expect(await fixture.entries(name)).toEqual([{ id: late!.id, is_due: true, is_leased: true }]);
    }
    await finishEntry(pool, current!, null);
    expect(await fixture.entries(name)).toEqual([]);
  });
});

describe('turns', () => {
  it('100,000 due entries of one project delay neither another kind nor another project of their kind', async () => {
    const { calls, advance, endAll } = heldWork();
    const busy = newKind(advance);
    const quiet = newKind(() => Promise.resolve(null));
    // Claims are planned while the table is nearly empty.
    await scheduleBy(fixture.database.pool, quiet.name, [rowOf()]);
    fixture.start(quiet, busy);
    try {
      await eventually(async () => (await fixture.entries(quiet.name)).length === 0);
      await insertDue(busy.name, randomUUID(), 100_000);
      await eventually(() => calls.length === busy.perProject);
      await scheduleBy(fixture.database.pool, quiet.name, [rowOf()]);
      await eventually(async () => (await fixture.entries(quiet.name)).length === 0);
      expect(calls).toHaveLength(busy.perProject);
      // While its entries end one after another as well.
      endAll();
      await scheduleBy(fixture.database.pool, quiet.name, [rowOf()]);
      await eventually(async () => (await fixture.entries(quiet.name)).length === 0);
      expect(calls.length).toBeLessThan(100_000);
      // Its project does not delay another one of the same kind, either.
      const own = rowOf();
      const before = calls.length;
      await scheduleBy(fixture.database.pool, busy.name, [own]);
      await eventually(() => calls.some(({ id }) => id === own.id));
      expect(calls.findIndex(({ id }) => id === own.id) - before).toBeLessThan(10_000);
    } finally {
      endAll();
      await fixture.reset();
      await fixture.database.pool.query('DELETE FROM agenda WHERE kind = $1', [busy.name]);
    }
  });

  it('each project gets its turn, however many entries another one has, also with one slot', async () => {
    const greedy = FIRST.replace(/0$/, '1');
    const others = [randomUUID(), randomUUID()].sort();
    const done: string[] = [];
    const kind = newKind(
      ({ project_id }) => {
        done.push(project_id);
        return Promise.resolve(null);
      },
      { concurrency: 1, perProject: 1 },
    );
    await insertDue(kind.name, greedy, 50);
    const rows = others.flatMap((other) => [rowOf(other), rowOf(other)]);
    await scheduleBy(fixture.database.pool, kind.name, rows);
    fixture.start(kind);
    await eventually(async () => (await fixture.entries(kind.name)).length === 0);
    expect(done.slice(0, 6)).toEqual([greedy, ...others, greedy, ...others]);
    expect(done).toHaveLength(54);
  });

  it('parked entries of a project wait until they are resumed, and delay nothing', async () => {
    const { pool } = fixture.database;
    const [parked, other] = [randomUUID(), randomUUID()];
    const done: string[] = [];
    const kind = newKind(({ project_id }) => {
      done.push(project_id);
      return Promise.resolve(null);
    });
    const rows = Array.from({ length: 100 }, () => ({ ...rowOf(parked), at: PARKED }) as const);
    await scheduleAt(pool, kind.name, rows);
    await scheduleBy(pool, kind.name, [rowOf(other), rowOf(other)]);
    fixture.start(kind);
    await eventually(async () => (await fixture.entries(kind.name)).length === 100);
    expect(done).toEqual([other, other]);
    await resumeEntries(pool, other);
    // A change of the row makes it due.
    await scheduleBy(
      pool,
      kind.name,
      rows.slice(0, 1).map(({ id, project_id }) => ({ id, project_id })),
    );
    await eventually(async () => (await fixture.entries(kind.name)).length === 99);
    await resumeEntries(pool, parked);
    await eventually(async () => (await fixture.entries(kind.name)).length === 0);
    expect(done).toHaveLength(102);
  });

  it('neither a kind nor a project has more in flight than its bound, and a project that hangs leaves slots', async () => {
    const { calls, advance, endAll } = heldWork();
    const kind = newKind(advance, { concurrency: 4, perProject: 3 });
    const [hanging, other] = [randomUUID(), randomUUID()];
    await insertDue(kind.name, hanging, 20);
    fixture.start(kind);
    try {
      await eventually(() => calls.length === 3);
      await scheduleBy(fixture.database.pool, kind.name, [rowOf(other), rowOf(other), rowOf(other)]);
      for (let at = 3; at < 6; at += 1) {
        await eventually(() => calls.length > at);
        expect(calls.map(({ project_id }) => project_id).slice(3)).toEqual(Array(at - 2).fill(other));
        calls[at]!.end(null);
      }
      await eventually(async () => (await fixture.entries(kind.name)).length === 20);
      expect(calls).toHaveLength(6);
    } finally {
      endAll();
    }
    await eventually(async () => (await fixture.entries(kind.name)).length === 0);
  });
});
