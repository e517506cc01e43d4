import type { SealedColumn } from '../../base/db/sealed-values';
import { botTokenPurpose } from './own-bots';

/** The columns of this room with encrypted values; key rotation reads the list. */
export const sealedColumns: SealedColumn[] = [
  {
    table: 'project_bots',
    column: 'token_sealed',
    key: 'id',
    type: 'uuid',
    purpose: botTokenPurpose,
    rowId: 'id',
  },
];
