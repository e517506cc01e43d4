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
});
const nothingDue = (status: TicketState['status']): TicketState => ({ status, nextAt: null, waitMs: 0 });

async function start(given: TicketState[], ticketId: string = randomUUID()) {
  states.set(ticketId, given);
  // As the agenda starts it.
  const handle = await fixture.client.workflow.signalWithStart<typeof ticket>('ticket', {
    taskQueue: fixture.taskQueue,
    workflowId: workflowIds.ticket(ticketId),
    args: [{ ticketId }],
    signal: signals.changed,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  });
  return { handle, ticketId, left: () => states.get(ticketId) };
}

test('answered before the day is over, it ends; the next change starts it again', async () => {
  const { handle, ticketId, left } = await start([until('new', DAY), nothingDue('waiting')]);
  await changeShown(handle, 1);
  expect(await handle.result()).toEqual(nothingDue('waiting'));
  expect(left()).toEqual([]);
  await recordHistory(handle, 'ticket', 'answered');
  const { handle: next } = await start([nothingDue('closed')], ticketId);
  expect(await next.result()).toEqual(nothingDue('closed'));
  await recordHistory(next, 'ticket', 'closed');
});

test('unanswered for a day, it ends while the ticket is open', async () => {
  const { handle, left } = await start([until('new', 1_000), nothingDue('new')]);
  expect(await handle.result()).toEqual(nothingDue('new'));
  expect(left()).toEqual([]);
  await recordHistory(handle, 'ticket', 'unanswered');
});

test('it closes the ticket by itself', async () => {
  const { handle, left } = await start([until('waiting', 1_000), nothingDue('closed')]);
  expect(await handle.result()).toEqual(nothingDue('closed'));
  expect(left()).toEqual([]);
  await recordHistory(handle, 'ticket', 'closed-by-itself');
});

test('closed while a reply is under way: it comes back for the rating', async () => {
  const { handle, left } = await start([until('closed', 1_000), nothingDue('closed')]);
  expect(await handle.result()).toEqual(nothingDue('closed'));
  expect(left()).toEqual([]);
  await recordHistory(handle, 'ticket', 'closed-during-a-reply');
});

test('removed while it waits', async () => {
  const { handle } = await start([until('new', DAY), nothingDue('removed')]);
  await changeShown(handle, 1);
  expect(await handle.result()).toEqual(nothingDue('removed'));
  await recordHistory(handle, 'ticket', 'removed');
});
