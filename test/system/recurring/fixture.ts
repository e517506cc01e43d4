import { localTimeAt } from '../../../src/base/contract/zones';

const HOUR = 3_600_000;

/** The next hour that the zone's clock shows twice: when it begins for the first time. */
export function nextDoubledHour(zone: string): Date {
  const shown = (at: number) => {
    const { year, month, day, hour, minute } = localTimeAt(new Date(at), zone);
    return Date.UTC(year, month - 1, day, hour, minute);
  };
  // Two hours ahead, so that it has not come when the test ends.
  let at = Math.ceil(Date.now() / HOUR) * HOUR + 2 * HOUR;
  while (shown(at + HOUR) !== shown(at)) at += HOUR;
  return new Date(at);
}

/** A run of a recurring message, as the API lists it. */
export interface Run {
  run_id: string;
  scheduled_for: string;
  status: string;
  reason: string | null;
  job_id: string | null;
}
