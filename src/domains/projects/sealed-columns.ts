import type { SealedColumn } from '../../base/db/sealed-values';
import { invitationPurpose } from './team/invitations';

/** The columns of this room with encrypted values; key rotation reads the list. */
export const sealedColumns: SealedColumn[] = [
  {
    table: 'invitations',
    column: 'token_sealed',
    key: 'id',
    type: 'uuid',
    purpose: invitationPurpose,
    rowId: 'id',
  },
];
