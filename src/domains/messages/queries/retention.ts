import type { Retention } from '../../../base/db/retention';

export const retention = (days: number): Retention => ({
  messages: { age: 'created_at', after: `${days} days`, where: `status IN ('sent', 'failed', 'skipped')` },
  otp_codes: { age: 'created_at', after: '1 day' },
  button_clicks: { age: 'clicked_at', after: `${days} days` },
});
