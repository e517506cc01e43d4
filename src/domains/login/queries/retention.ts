import { limits } from '../../../base/contract/limits';
import type { Retention } from '../../../base/db/retention';

export const retention = (days: number): Retention => ({
  // Overdue sessions are ended by their workflow first.
  auth_sessions: {
    age: 'created_at',
    after: `${days} days`,
    where: `status NOT IN ('pending', 'confirmed')`,
  },
  auth_prompts: { with: 'auth_sessions' },
  auth_answers: { with: 'auth_sessions' },
  auth_request_recipients: { with: 'auth_sessions' },
  auth_polls: { age: 'polled_at', after: '1 hour', by: 'session_id' },
  // One day more, because a day of UTC is compared in the server's time zone.
  auth_days: { age: 'day', after: `${limits.authStatsDays + 1} days` },
  auth_openings: { age: 'opened_at', after: '1 hour' },
});
