import { PERSON, personValues, type PersonalData } from '../../../base/db/personal-data';
import { change } from '../../../base/db/query';
import { OWN_SESSIONS } from '../../login';

export const personalData: PersonalData = {
  tables: {
    oidc_logins: {
      held: {
        as: 'openid_logins',
        columns: 't.session_id, t.client_id, t.address, t.created_at',
        from: 'auth_sessions s JOIN oidc_logins t ON t.session_id = s.id',
        where: OWN_SESSIONS,
        order: ['t.created_at', 't.session_id'],
      },
      removal: 'erase',
    },
    oidc_records: {
      held: {
        as: 'openid_tokens',
        columns: 't.model, t.consumed_at, t.expires_at',
        from: 'oidc_records t',
        where: 't.account_id = person.id',
        order: ['t.expires_at', "encode(t.id_hash, 'hex')"],
      },
      removal: { with: 'subscribers' },
    },
  },
  /** Before those of `login`, which erases by whom these rows are found. */
  async erase(db, person) {
    await change(
      db,
      'erase_oidc_logins',
      `${PERSON} UPDATE oidc_logins l SET address = NULL FROM person, auth_sessions s
       WHERE s.id = l.session_id AND ${OWN_SESSIONS}`,
      personValues(person),
    );
  },
};
