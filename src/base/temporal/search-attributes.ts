import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { searchAttributeTypes } from './names';

const indexedTypes = () => ({
  Keyword: temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  Int: temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_INT,
  Datetime: temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
});

const PROBE_MS = 250;
const PROBE_LIMIT_MS = 30_000;

/** Names that are not registered in the namespace. */
export async function missingSearchAttributes(client: Client, namespace: string): Promise<string[]> {
  const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
  return Object.keys(searchAttributeTypes).filter((name) => !customAttributes || !(name in customAttributes));
}

/**
 * Registers missing attributes and waits until queries can use them, because registration takes a moment to propagate.
 */
export async function registerSearchAttributes(client: Client, namespace: string): Promise<void> {
  const missing = await missingSearchAttributes(client, namespace);
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(
    missing.map((name) => [
      name,
      indexedTypes()[searchAttributeTypes[name as keyof typeof searchAttributeTypes]],
    ]),
  );
  await client.connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  const deadline = Date.now() + PROBE_LIMIT_MS;
  for (;;) {
    const usable = await Promise.all(missing.map((name) => canQuery(client, namespace, name)));
    if (usable.every(Boolean)) return;
    if (Date.now() > deadline) throw new Error(`search attributes are not usable yet: ${missing.join(', ')}`);
    await sleep(PROBE_MS);
  }
}

async function canQuery(client: Client, namespace: string, name: string): Promise<boolean> {
  try {
    await client.workflowService.countWorkflowExecutions({ namespace, query: `${name} IS NOT NULL` });
    return true;
  } catch {
    return false;
  }
}
