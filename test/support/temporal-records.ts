import type { Installation } from './installation';

/**
 * Everything that Temporal stores about a service's workflows, as searchable text: histories, search attributes, memos.
 */
export async function temporalRecords(service: Installation): Promise<string> {
  const records: string[] = [];
  const query = ['logins', 'deliveries', 'broadcasts', 'campaigns']
    .map((queue) => `TaskQueue = '${service.queuePrefix}-${queue}'`)
    .join(' OR ');
  for await (const execution of service.client.workflow.list({ query })) {
    const handle = service.client.workflow.getHandle(execution.workflowId, execution.runId);
    const { raw } = await handle.describe();
    for (const part of [await handle.fetchHistory(), execution.raw, raw]) records.push(readable(part));
  }
  return records.join('\n');
}

/** Decodes payload bytes as text, so that they can be searched. */
function readable(part: unknown): string {
  return JSON.stringify(part, (_key, value: unknown) => {
    if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
    return typeof value === 'bigint' ? String(value) : value;
  });
}
