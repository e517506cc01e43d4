import type { TicketCounts, TicketFilter } from '../helpdesk-api';

/** The lists above the inbox. The first is what it opens with. */
export const views = [
  'open',
  'new',
  'in_progress',
  'waiting',
  'overdue',
  'unassigned',
  'mine',
  'closed',
  'all',
] as const;
export type View = (typeof views)[number];

/** All that the address of the inbox can carry. */
export const filterNames = ['view', 'q', 'priority', 'type', 'assignee', 'subscriber'] as const;
export type FilterValues = Record<(typeof filterNames)[number], string>;

export function viewOf({ view }: Pick<FilterValues, 'view'>): View {
  return views.find((each) => each === view) ?? 'open';
}

/** Whether the view itself says who has its tickets. */
export const namesAssignee = (view: View) => view === 'unassigned' || view === 'mine';

const byView: Record<View, (me: string | null) => TicketFilter> = {
  open: () => ({ open: 'true' }),
  new: () => ({ status: 'new' }),
  in_progress: () => ({ status: 'in_progress' }),
  waiting: () => ({ status: 'waiting' }),
  overdue: () => ({ overdue: 'true' }),
  unassigned: () => ({ open: 'true', assignee_id: 'none' }),
  mine: (me) => ({ open: 'true', ...(me === null ? {} : { assignee_id: me }) }),
  closed: () => ({ status: 'closed' }),
  all: () => ({}),
};

export function filterOf(values: FilterValues, me: string | null): TicketFilter {
  return {
    q: values.q,
    priority: values.priority,
    type_id: values.type,
    subscriber_id: values.subscriber,
    assignee_id: values.assignee,
    ...byView[viewOf(values)](me),
  };
}

/** How many tickets a view has; null where they are not counted. */
export function countOf(view: View, counts: TicketCounts): number | null {
  if (view === 'closed' || view === 'all') return null;
  return view === 'open' ? counts.new + counts.in_progress + counts.waiting : counts[view];
}
