import type { SealedColumn } from '../../base/db/sealed-values';
import { linkTokenPurpose } from './links';

/** The columns of this room with encrypted values; key rotation reads the list. */
export const sealedColumns: SealedColumn[] = [
  {
    table: 'subscribe_links',
    column: 'token_sealed',
    key: 'id',
    type: 'uuid',
    purpose: linkTokenPurpose,
    rowId: 'id',
  },
];
