/** The public interface of this domain. */
export { bySystem } from './change';
export { createTicket, type TicketToCreate } from './create';
export { findType } from './queries/settings';
