import type { SealedColumn } from '../../base/db/sealed-values';
import { captchaPurpose, signingPurpose } from './forms';

/** The columns of this room with encrypted values; key rotation reads the list. */
export const sealedColumns: SealedColumn[] = [
  {
    table: 'forms',
    column: 'captcha_sealed',
    key: 'id',
    type: 'uuid',
    purpose: captchaPurpose,
    rowId: 'id',
  },
  {
    table: 'forms',
    column: 'signing_sealed',
    key: 'id',
    type: 'uuid',
    purpose: signingPurpose,
    rowId: 'id',
  },
];
