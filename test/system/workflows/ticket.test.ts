import { randomUUID } from 'node:crypto';
import type { TicketRef, TicketState } from '../../../activities/ticket';
import { signals, workflowIds } from '../../../src/temporal/names';
import type { ticket } from '../../../workflows/ticket';
import { recordHistory } from '../replay/fixture';
import { changeShown, startWorkflowFixture, type WorkflowFixture } from './fixture';

let fixture: WorkflowFixture;
const states = new Map<string, TicketState[]>();

beforeAll(async () => {
  fixture = await startWorkflowFixture({
    advanceTicket: async ({ ticketId }: TicketRef) => states.get(ticketId)!.shift(),
  });
});
afterAll(() => fixture?.stop());

const DAY = 86_400_000;
const until = (status: TicketState['status'], waitMs: number): TicketState => ({
  status,
  nextAt: new Date(Date.now() + waitMs).toISOString(),
  waitMs,
  isOpen: status !== 'closed',
});
const untilChanged = (status: TicketState['status']): TicketState => ({
  status,
  nextAt: null,
  waitMs: 0,
  isOpen: true,
});
const ended = (status: TicketState['status']): TicketState => ({ ...untilChanged(status), isOpen: false });

async function start(given: TicketState[]) {
  const ticketId = randomUUID();
  states.set(ticketId, given);
  // As the relay starts it.
  const handle = await fixture.client.workflow.signalWithStart<typeof ticket>('ticket', {
    taskQueue: fixture.taskQueue,
    workflowId: workflowIds.ticket(ticketId),
    args: [{ ticketId }],
    signal: signals.changed,
  });
  return { handle, left: () => states.get(ticketId) };
}

test('answered before the day is over, and closed by a member', async () => {
  const { handle, left } = await start([until('new', DAY), untilChanged('waiting'), ended('closed')]);
  await changeShown(handle, 1);
  await changeShown(handle, 2);
  expect(await handle.result()).toEqual(ended('closed'));
  expect(left()).toEqual([]);
  await recordHistory(handle, 'ticket', 'answered-and-closed');
});

test('unanswered for a day; answered later, it closes by itself', async () => {
  const { handle, left } = await start([
    until('new', 1_000),
    untilChanged('new'),
    until('waiting', 1_000),
    ended('closed'),
  ]);
  await changeShown(handle, 2);
  expect(await handle.result()).toEqual(ended('closed'));
  expect(left()).toEqual([]);
  await recordHistory(handle, 'ticket', 'unanswered-and-closed-by-itself');
});

test('closed while a reply is under way: it comes back for the rating', async () => {
  const { handle, left } = await start([until('closed', 1_000), ended('closed')]);
  expect(await handle.result()).toEqual(ended('closed'));
  expect(left()).toEqual([]);
  await recordHistory(handle, 'ticket', 'closed-during-a-reply');
});

test('removed while it waits', async () => {
  const { handle } = await start([until('new', DAY), ended('removed')]);
  await changeShown(handle, 1);
  expect(await handle.result()).toEqual(ended('removed'));
  await recordHistory(handle, 'ticket', 'removed');
});
