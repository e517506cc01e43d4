import type { SealedColumn } from '../../base/db/sealed-values';
import { oidcKeyPurpose } from './keys';

/** The columns of this room with encrypted values; key rotation reads the list. */
export const sealedColumns: SealedColumn[] = [
  { table: 'oidc_keys', column: 'sealed', key: 'id', type: 'uuid', purpose: oidcKeyPurpose, rowId: 'id' },
];
