import { AppError, type ErrorCode } from '../../base/contract/errors';
import { parseSubscriberId } from '../../base/contract/ids';
import { propertyValue } from '../../base/contract/property-value';
import { withoutGuard } from '../../base/lib/csv';
import { externalIdSchema, subscriberChangesSchema, type SubscriberChanges } from './contract';

const PROPERTY = 'properties.';
const others = new Set(['tags', 'add_tags', 'permissions', 'timezone']);
const identifiers = ['subscriber_id', 'external_id'];

/** Throws if the header of a file is not one of an import. */
export function checkColumns(columns: string[]): void {
  for (const column of columns) {
    const isProperty = column.startsWith(PROPERTY) && isPropertyKey(column.slice(PROPERTY.length));
    if (!isProperty && !others.has(column) && !identifiers.includes(column)) {
      throw invalid(`"${column.slice(0, 100)}" is not a column of an import`);
    }
  }
  if (new Set(columns).size < columns.length) throw invalid('a column is there twice');
  if (columns.filter((column) => identifiers.includes(column)).length !== 1) {
    throw invalid('needs either the column subscriber_id or the column external_id');
  }
}

function isPropertyKey(key: string): boolean {
  // Schemas leave out this name instead of refusing it.
  if (key === '__proto__') return false;
  return subscriberChangesSchema.safeParse({ properties: { [key]: true } }).success;
}

function invalid(text: string): AppError {
  return new AppError('validation_failed', `body: ${text}`);
}

/** What a row asks for. */
export interface ImportedRow {
  who: { id: string } | { external_id: string };
  changes: SubscriberChanges;
  /** Names besides those that the subscriber has. */
  addTags: string[];
}

/** Reads the cells of a row. An empty cell changes nothing. Returns the code of its error if it is not valid. */
export function readRow(columns: string[], cells: string[]): ImportedRow | ErrorCode {
  if (cells.length !== columns.length) return 'validation_failed';
  const given = new Map(
    columns
      .map((column, n) => [column, withoutGuard(cells[n] ?? '')] as const)
      .filter(([, cell]) => cell !== ''),
  );
  const who = readWho(given);
  if (typeof who === 'string') return who;
  const changes = subscriberChangesSchema.safeParse({
    tags: listOf(given.get('tags')),
    permissions: listOf(given.get('permissions')),
    timezone: given.get('timezone'),
    properties: propertiesOf(given),
  });
  const added = subscriberChangesSchema.safeParse({ tags: listOf(given.get('add_tags')) });
  if (!changes.success || !added.success) return 'validation_failed';
  return { who, changes: changes.data, addTags: added.data.tags ?? [] };
}

function readWho(given: Map<string, string>): ImportedRow['who'] | ErrorCode {
  const publicId = given.get('subscriber_id');
  if (publicId !== undefined) {
    const id = parseSubscriberId(publicId);
    return id === null ? 'subscriber_not_found' : { id };
  }
  const external = externalIdSchema.safeParse(given.get('external_id'));
  return external.success ? { external_id: external.data } : 'invalid_external_id';
}

function listOf(cell: string | undefined): string[] | undefined {
  return cell?.split('|').map((name) => name.trim());
}

function propertiesOf(given: Map<string, string>): Record<string, unknown> | undefined {
  const entries = [...given].filter(([column]) => column.startsWith(PROPERTY));
  if (entries.length === 0) return undefined;
  return Object.fromEntries(
    entries.map(([column, cell]) => [column.slice(PROPERTY.length), propertyValue(cell)]),
  );
}
