import {
  condition,
  continueAsNew,
  defineSignal,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { RowState } from '../src/base/agenda';
import { searchAttributes, signals } from '../src/base/temporal/names';

/** The row has changed. */
const changed = defineSignal(signals.changed);

/**
 * Does what is due for one row, and again at the row's next time or when the row has changed, until nothing is left to do.
 */
export async function runWhenDue<State extends RowState>(
  input: object,
  runDue: (summary: string) => Promise<State>,
): Promise<State> {
  let signalCount = 0;
  setHandler(changed, () => void (signalCount += 1));
  let summary = 'what is due';
  for (;;) {
    const seen = signalCount;
    const state = await runDue(summary);
    summary = state.progress ?? state.status;
    setCurrentDetails(describe(state));
    // A row that continues at once has nothing new to show to an operator.
    if (state.nextAt === null || state.waitMs > 0) show(state);
    // A change that came meanwhile is read before the end.
    if (signalCount === seen) {
      if (state.nextAt === null) return state;
      if (state.waitMs > 0) await condition(() => signalCount > seen, state.waitMs, { summary });
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew(input);
  }
}

function show({ status, nextAt }: RowState): void {
  upsertSearchAttributes([
    { key: searchAttributes.State, value: status },
    { key: searchAttributes.NextAt, value: nextAt === null ? null : new Date(nextAt) },
  ]);
}

function describe({ status, progress, nextAt, waitMs }: RowState): string {
  const next = nextAt !== null && waitMs > 0 ? `next at ${nextAt}` : null;
  return `${[status, progress, next].filter((part) => part !== null).join(', ')}.`;
}
