import { advanceTicket, type AdvanceDeps, type Advanced } from '../src/helpdesk/advance';
import { reported } from './failures';

export interface TicketRef {
  ticketId: string;
}

/** Only a status and a time, because operators can read histories. */
export interface TicketState {
  status: Advanced['status'];
  /** ISO 8601; null if nothing is due later. */
  nextAt: string | null;
  /** Until then, by the database's clock. */
  waitMs: number;
}

export type TicketActivities = ReturnType<typeof createTicketActivities>;

/** The activity of the `ticket` workflow. It is idempotent: the row shows what is left to do. */
export function createTicketActivities(deps: AdvanceDeps) {
  return {
    advanceTicket: reported(async ({ ticketId }: TicketRef): Promise<TicketState> => {
      const { nextAt, ...state } = await advanceTicket(deps, ticketId);
      return { ...state, nextAt: nextAt?.toISOString() ?? null };
    }),
  };
}
