import { dueAgain, nothingDue, type Advanced } from '../../base/agenda';
import type { Core } from '../../base/core';
import type { ImportStatus } from './contract';
import { importNextChunk } from './import-chunk';
import { findAnyImport } from './queries/imports';

const PAGE_MS = 30_000;

/** Applies chunks for up to half a minute, or until the worker stops. */
export async function importPage(
  { pool, config }: Pick<Core, 'pool' | 'config'>,
  id: string,
  signal: AbortSignal,
): Promise<Advanced<ImportStatus>> {
  const until = performance.now() + PAGE_MS;
  const deps = { pool, format: config.HERALD_SUBSCRIBER_ID_FORMAT };
  let hasMore = true;
  while (hasMore && !signal.aborted && performance.now() < until) hasMore = await importNextChunk(deps, id);
  const found = await findAnyImport(pool, id);
  // Its project was removed, or it is older than the retention.
  if (!found) return nothingDue('completed');
  const { status, rows, updated, failed, ended_at } = found;
  const progress = `${updated} updated, ${failed} failed of ${rows} rows`;
  const now = new Date();
  return ended_at ? nothingDue(status, progress) : dueAgain(status, now, now, progress);
}
