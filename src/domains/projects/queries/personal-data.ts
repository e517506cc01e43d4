import { PERSON, personValues, type PersonalData } from '../../../base/db/personal-data';
import { change } from '../../../base/db/query';

const NAMING = 't.project_id = person.project_id AND t.target_id = ANY (person.public_ids)';

export const personalData: PersonalData = {
  tables: {
    audit_entries: {
      held: {
        as: 'audit',
        columns: 't.action, t.at',
        from: 'audit_entries t',
        where: NAMING,
        order: ['t.at', 't.id'],
      },
      removal: 'erase',
    },
  },
  async erase(db, person) {
    await change(
      db,
      'erase_audit_entries',
      `${PERSON} UPDATE audit_entries t SET target_id = NULL FROM person WHERE ${NAMING}`,
      personValues(person),
    );
  },
};
