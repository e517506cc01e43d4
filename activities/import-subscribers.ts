import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Core } from '../src/core';
import type { ImportStatus } from '../src/subscribers/contract';
import { importNextChunk } from '../src/subscribers/import-chunk';
import { findAnyImport } from '../src/subscribers/queries/imports';
import { reported } from './failures';

export interface ImportRef {
  importId: string;
}

/** Only counts and statuses, because operators can read histories. */
export interface ImportProgress {
  status: ImportStatus;
  rows: number;
  updated: number;
  failed: number;
}

const PAGE_MS = 30_000;

export type ImportActivities = ReturnType<typeof createImportActivities>;

/** The activities of the `importSubscribers` workflow. Idempotent: the rows show what is left to do. */
export function createImportActivities({ pool, config, stopping }: Core & { stopping: AbortSignal }) {
  return {
    /** Applies chunks for up to half a minute, or until the worker stops. */
    importPage: reported(async ({ importId }: ImportRef): Promise<ImportProgress> => {
      const signal = AbortSignal.any([stopping, cancellationSignal()]);
      const until = performance.now() + PAGE_MS;
      const deps = { pool, format: config.HERALD_SUBSCRIBER_ID_FORMAT };
      let hasMore = true;
      while (hasMore && !signal.aborted && performance.now() < until) {
        hasMore = await importNextChunk(deps, importId);
        heartbeat();
      }
      const found = await findAnyImport(pool, importId);
      // Its project was removed, or it is older than the retention.
      if (!found) return { status: 'completed', rows: 0, updated: 0, failed: 0 };
      const { status, rows, updated, failed } = found;
      return { status, rows, updated, failed };
    }),
  };
}
