import { z } from 'zod';
import { exampleChannel, exampleTime } from '../../base/contract/common';
import { heldTables } from './personal-data';

const heldRow = z.record(z.string(), z.unknown());

/** An object with a field for each table. */
export function heldDataSchema() {
  const fields = heldTables().map(({ as, single }) => ({
    as,
    schema: single ? heldRow.nullable() : z.array(heldRow),
    empty: single ? null : [],
  }));
  const created_at = exampleTime;
  const example = {
    ...Object.fromEntries(fields.map(({ as, empty }) => [as, empty])),
    subscriber: {
      channel: exampleChannel,
      platform_user_id: '1001',
      first_name: 'Anna',
      lang: 'en',
      created_at,
    },
    one_time_codes: [{ purpose: 'login', status: 'verified', attempts: 1, created_at }],
  };
  return z
    .strictObject(Object.fromEntries(fields.map(({ as, schema }) => [as, schema])))
    .meta({ examples: [example] });
}
