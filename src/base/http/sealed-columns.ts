import type { SealedColumn } from '../db/sealed-values';
import { recordedResponsePurpose } from './idempotency';

/** The columns of this room with encrypted values; key rotation reads the list. */
export const sealedColumns: SealedColumn[] = [
  {
    table: 'idempotency_keys',
    column: 'response_sealed',
    key: 'request_id',
    type: 'uuid',
    purpose: recordedResponsePurpose,
    rowId: 'request_id',
  },
];
