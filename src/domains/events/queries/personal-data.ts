import type { PersonalData } from '../../../base/db/personal-data';
import { eraseNextEventsOf } from './erase';

export const personalData: PersonalData = {
  tables: {
    events: {
      held: {
        as: 'events',
        columns: 'e.id AS event_id, e.body::json AS body, e.created_at',
        from: 'events e',
        where: 'e.subscriber_id = person.id AND e.project_id = person.project_id',
        order: ['e.created_at', 'e.id'],
      },
      // `removeSubscriber` marks them for erasure once its own event is among them.
      removal: 'erase',
    },
  },
  eraseNext: eraseNextEventsOf,
};
