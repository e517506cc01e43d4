import {
  condition,
  continueAsNew,
  defineSignal,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { searchAttributes, signals } from '../src/temporal/names';

/** Where a row stands after an activity has done what was due. */
export interface RowState {
  status: string;
  /** ISO 8601; null if nothing is left to do. */
  nextAt: string | null;
  /** Until then, by the database's clock: by the Temporal server's the row may seem due while it is not. */
  waitMs: number;
}

/** The row has changed. */
const changed = defineSignal(signals.changed);

/**
 * The clock of a row: runs what is due, and again at the row's time or when the row has changed, until nothing is left to
 * do. `nameOf` names for operators what it waits for.
 */
export async function runWhenDue<State extends RowState>(
  input: object,
  runDue: () => Promise<State>,
  nameOf: (state: State) => string = ({ status }) => status,
): Promise<State> {
  let signalCount = 0;
  setHandler(changed, () => void (signalCount += 1));
  for (;;) {
    const seen = signalCount;
    const state = await runDue();
    // What goes on at once changes nothing that an operator would look for.
    if (state.nextAt === null || state.waitMs > 0) show(state, nameOf(state));
    // A change that came meanwhile is read before the end.
    if (signalCount === seen) {
      if (state.nextAt === null) return state;
      if (state.waitMs > 0) {
        await condition(() => signalCount > seen, state.waitMs, { summary: nameOf(state) });
      }
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew(input);
  }
}

function show({ status, nextAt }: RowState, name: string): void {
  upsertSearchAttributes([
    { key: searchAttributes.State, value: status },
    { key: searchAttributes.NextAt, value: nextAt === null ? null : new Date(nextAt) },
  ]);
  setCurrentDetails(nextAt === null ? `${status}.` : `${name}: next at ${nextAt}.`);
}
