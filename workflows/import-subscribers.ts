import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ImportActivities, ImportProgress } from '../activities/import-subscribers';
import { OWN_FAULT_INTERVAL } from './own-fault-interval';

/** Only the id: the rows hold the import. */
export interface ImportInput {
  importId: string;
}

const { importPage } = proxyActivities<ImportActivities>({
  // A page takes half a minute; the rest is for a database that is slow.
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: OWN_FAULT_INTERVAL },
});

/** One import: applies page after page until no rows are left. */
export async function importSubscribers(input: ImportInput): Promise<ImportProgress> {
  for (let pages = 1; ; pages += 1) {
    const page = await importPage.executeWithOptions({ summary: `page ${pages}` }, [input]);
    setCurrentDetails(`${page.status}: ${page.updated} updated, ${page.failed} failed of ${page.rows} rows.`);
    if (page.status === 'completed' || page.status === 'cancelled') return page;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof importSubscribers>(input);
  }
}
