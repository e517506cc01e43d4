import type { SealedColumn } from '../../base/db/sealed-values';
import { endpointHeadersPurpose } from './own-headers';
import { webhookSecretPurpose } from './signature';

/** The columns of this room with encrypted values; key rotation reads the list. */
export const sealedColumns: SealedColumn[] = [
  {
    table: 'endpoint_secrets',
    column: 'sealed',
    key: 'id',
    type: 'bigint',
    purpose: webhookSecretPurpose,
    rowId: 'endpoint_id',
  },
  {
    table: 'endpoints',
    column: 'headers_sealed',
    key: 'id',
    type: 'uuid',
    purpose: endpointHeadersPurpose,
    rowId: 'id',
  },
];
