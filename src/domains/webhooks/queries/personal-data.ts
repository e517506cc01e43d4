import type { PersonalData } from '../../../base/db/personal-data';

/** Of events, which are shown themselves. */
export const personalData: PersonalData = {
  tables: {
    event_words: { removal: { alongside: 'events' } },
    attempts: { removal: { alongside: 'deliveries' } },
  },
};
