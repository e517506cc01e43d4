import type { SealedColumn } from '../../base/db/sealed-values';

/** The columns of this room with encrypted values; key rotation reads the list. */
export const sealedColumns: SealedColumn[] = [
  {
    table: 'auth_sessions',
    column: 'start_sealed',
    key: 'id',
    type: 'uuid',
    purpose: 'start_token',
    rowId: 'id',
  },
  {
    table: 'auth_sessions',
    column: 'code_sealed',
    key: 'id',
    type: 'uuid',
    purpose: 'auth_code',
    rowId: 'id',
  },
];
