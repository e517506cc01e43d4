import { proxyActivities } from '@temporalio/workflow';
import type { TicketActivities, TicketState } from '../activities/ticket';
import { runWhenDue } from './run-when-due';
import { OWN_FAULT_INTERVAL } from './own-fault-interval';

/** Only the id: the row holds the ticket. */
export interface TicketInput {
  ticketId: string;
}

const { advanceTicket } = proxyActivities<TicketActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: OWN_FAULT_INTERVAL },
});

/** The timers of one ticket: unanswered for a day, closed by itself. Ends when nothing is due; the next change starts it again. */
export function ticket(input: TicketInput): Promise<TicketState> {
  return runWhenDue(input, () => advanceTicket(input));
}
