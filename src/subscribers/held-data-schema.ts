import { z } from 'zod';
import { exampleChannel } from '../contract/common';
import { EXAMPLE_TIME } from '../http/docs/schema-example';
import { heldTables } from './queries/personal-data';

const heldRow = z.record(z.string(), z.unknown());

/** An object with a field for each table. */
export const heldDataSchema = z
  .strictObject(
    Object.fromEntries(
      heldTables.map((table) => [table.as, table.single ? heldRow.nullable() : z.array(heldRow)]),
    ),
  )
  .meta({ examples: [exampleData()] });

function exampleData(): Record<string, unknown> {
  const empty = heldTables.map((table) => [table.as, table.single ? null : []]);
  const created_at = EXAMPLE_TIME;
  return {
    ...Object.fromEntries(empty),
    subscriber: {
      channel: exampleChannel,
      platform_user_id: '1001',
      first_name: 'Anna',
      lang: 'en',
      created_at,
    },
    one_time_codes: [{ purpose: 'login', status: 'verified', attempts: 1, created_at }],
  };
}
