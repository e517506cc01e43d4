import type pg from 'pg';
import { AppError, type ErrorCode } from '../../base/contract/errors';
import type { SubscriberIdFormat } from '../../base/contract/ids';
import { limits } from '../../base/contract/limits';
import { BATCH_ROWS } from '../../base/db/batches';
import { withTransaction } from '../../base/db/pool';
import { useStoredPlans } from '../../base/db/query';
import { rolledBack, undoneOnError } from '../../base/db/savepoint';
import type { CsvRow } from '../../base/lib/csv';
import { emitEvents, type NewEvent } from '../events';
import { lockProject } from '../projects';
import { changedValues, permissionChange, register } from './changes';
import { readRow, type ImportedRow } from './import-row';
import { addedTags, onSubscriberChange } from './on-change';
import {
  endImport,
  insertChunks,
  lockImport,
  recordChunk,
  takeChunk,
  type ImportRow,
} from './queries/imports';
import { idsByExternalIds, lockSubscribers, updateSubscribers } from './queries/records';
import type { SubscriberRecord } from './record';

interface Deps {
  pool: pg.Pool;
  format: SubscriberIdFormat;
}

/**
 * Applies the next rows of an import. The rows, their changes, the events and the counts are one commit, so that a crash
 * neither loses a row nor applies it twice. Returns false when nothing is left. Lock order: import, project, subscribers.
 */
export function importNextChunk({ pool, format }: Deps, importId: string): Promise<boolean> {
  return withTransaction(pool, async (db) => {
    const [, job] = await Promise.all([useStoredPlans(db), lockImport(db, importId)]);
    if (!job || job.ended_at !== null) return false;
    const chunk = await takeChunk(db, importId, job.next_row);
    if (!chunk) {
      await endImport(db, importId, 'completed');
      return false;
    }
    const lines = chunk.slice(0, await rowsAtOnce(db, job, chunk));
    if (lines.length < chunk.length) {
      const rest = JSON.stringify(chunk.slice(lines.length));
      await insertChunks(db, importId, [{ first_row: job.next_row + lines.length, rows: rest }]);
    }
    const apply = () =>
      applyRows(
        db,
        job,
        lines.map(({ cells }) => cells),
        format,
      );
    // A dry run finds the same errors by doing the same.
    const outcomes = job.dry_run ? await rolledBack(db, apply) : await apply();
    const errors = lines.flatMap(({ row }, n) => {
      const code = outcomes[n] ?? null;
      return code === null ? [] : [{ row, code }];
    });
    await recordChunk(db, job, {
      done: lines.length,
      failed: errors.length,
      errors: [...job.errors, ...errors].slice(0, limits.importErrors),
    });
    return true;
  });
}

/** The first rows, as many as name a batch of subscribers: a row can name a hundred. */
async function rowsAtOnce(
  db: pg.PoolClient,
  { project_id, columns }: ImportRow,
  chunk: CsvRow[],
): Promise<number> {
  const given = chunk.map(({ cells }) => readRow(columns, cells));
  const externalIds = given.map((row) =>
    typeof row === 'object' && 'external_id' in row.who ? row.who.external_id : null,
  );
  const distinct = [...new Set(externalIds)].filter((id) => id !== null);
  if (distinct.length === 0) return chunk.length;
  const people = new Map<string | null, number>();
  for (const { external_id } of await idsByExternalIds(db, project_id, distinct, limits.sendRecipients)) {
    people.set(external_id, (people.get(external_id) ?? 0) + 1);
  }
  let total = 0;
  const beyond = externalIds.findIndex((id) => {
    total += people.get(id) ?? 1;
    return total > BATCH_ROWS;
  });
  return beyond === -1 ? chunk.length : Math.max(1, beyond);
}

/** For each row the code of its error, or null. */
async function applyRows(
  db: pg.PoolClient,
  { project_id: projectId, columns }: ImportRow,
  lines: string[][],
  format: SubscriberIdFormat,
): Promise<(ErrorCode | null)[]> {
  if (columns.some((column) => ['tags', 'add_tags', 'permissions'].includes(column))) {
    await lockProject(db, projectId);
  }
  const given = lines.map((cells) => readRow(columns, cells));
  const valid = given.filter((row): row is ImportedRow => typeof row === 'object');
  const named = await lockNamed(db, projectId, valid);
  const tagsBefore = new Map([...named.byId.values()].map(({ id, tags }) => [id, tags]));
  const changed = new Map<string, SubscriberRecord>();
  const events: NewEvent[] = [];

  const flush = async () => {
    await updateSubscribers(db, [...changed.values()]);
    changed.clear();
  };
  const put = (record: SubscriberRecord) => {
    named.byId.set(record.id, record);
    changed.set(record.id, record);
  };
  const labels = createLabels(db, projectId, { put, flush });

  async function applyTo(before: SubscriberRecord, { changes, addTags }: ImportedRow): Promise<void> {
    const tags =
      addTags.length > 0 ? [...new Set([...(changes.tags ?? before.tags), ...addTags])] : changes.tags;
    const after = { ...before, ...changedValues(before, { ...changes, tags }) };
    await labels.use({ tags, permissions: changes.permissions }, before, after);
    const event = permissionChange(before, after, format);
    if (event) events.push({ name: 'subscription.permission_changed', data: event });
  }

  async function applyRow(row: ImportedRow): Promise<ErrorCode | null> {
    const found = named.of(row);
    if (found.length === 0) return 'subscriber_not_found';
    // A row that fails for one of its subscribers is failed, as a request would be; the others keep the change.
    let error: ErrorCode | null = null;
    for (const before of found) {
      try {
        await applyTo(before, row);
      } catch (thrown) {
        if (!(thrown instanceof AppError)) throw thrown;
        error = thrown.code;
      }
    }
    return error;
  }

  const outcomes: (ErrorCode | null)[] = [];
  for (const row of given) outcomes.push(typeof row === 'string' ? row : await applyRow(row));
  await flush();
  await emitEvents(db, projectId, events, { bulk: true });
  const after = [...named.byId.values()];
  const causes = after.flatMap(({ id, tags }) => addedTags(id, tagsBefore.get(id) ?? [], tags));
  await onSubscriberChange(db, projectId, causes);
  return outcomes;
}

/** The subscribers whom rows name. */
interface Named {
  byId: Map<string, SubscriberRecord>;
  of(row: ImportedRow): SubscriberRecord[];
}

async function lockNamed(db: pg.PoolClient, projectId: string, given: ImportedRow[]): Promise<Named> {
  const ids = given.flatMap(({ who }) => ('id' in who ? [who.id] : []));
  const externalIds = given.flatMap(({ who }) => ('external_id' in who ? [who.external_id] : []));
  const found =
    externalIds.length > 0
      ? await idsByExternalIds(db, projectId, [...new Set(externalIds)], limits.sendRecipients)
      : [];
  const locked = await lockSubscribers(db, projectId, [...ids, ...found.map(({ id }) => id)]);
  const byId = new Map(locked.map((record) => [record.id, record]));
  return {
    byId,
    of({ who }) {
      const theirs =
        'id' in who
          ? [who.id]
          : found.filter((one) => one.external_id === who.external_id).map(({ id }) => id);
      return theirs.flatMap((id) => byId.get(id) ?? []);
    },
  };
}

interface Writing {
  put(record: SubscriberRecord): void;
  flush(): Promise<void>;
}

/** Registers the names that this chunk has not used yet, and puts the record that uses them. */
function createLabels(db: pg.PoolClient, projectId: string, { put, flush }: Writing) {
  const known = { tags: new Set<string>(), permissions: new Set<string>() };
  const kinds = ['tags', 'permissions'] as const;

  return {
    async use(
      names: { tags: string[] | undefined; permissions: string[] | undefined },
      before: SubscriberRecord,
      after: SubscriberRecord,
    ): Promise<void> {
      const unknown = kinds.filter((kind) => names[kind]?.some((name) => !known[kind].has(name)));
      if (unknown.length === 0) return put(after);
      // Names that no subscriber has give way to new ones, so every change is written first.
      await flush();
      try {
        await undoneOnError(db, async () => {
          put(after);
          await flush();
          for (const kind of unknown) await register(db, projectId, kind, names[kind]);
        });
      } catch (error) {
        put(before);
        throw error;
      }
      for (const kind of unknown) known[kind] = new Set(names[kind]);
    },
  };
}
