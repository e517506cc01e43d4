import type { HistoryAndWorkflowId } from '@temporalio/client';
import { Worker } from '@temporalio/worker';

export interface ReplayOutcome {
  workflow_id: string;
  run_id: string;
  ok: boolean;
  /** Where code and history diverge, if the replay can tell. */
  event_id: number | null;
  event_type: string | null;
  problem: string | null;
}

/** Replays histories against a workflow bundle, without a server, to find workflows that could not continue with it. */
export async function* replayHistories(
  bundlePath: string,
  histories: AsyncIterable<HistoryAndWorkflowId> | Iterable<HistoryAndWorkflowId>,
): AsyncGenerator<ReplayOutcome> {
  const results = Worker.runReplayHistories({ workflowBundle: { codePath: bundlePath } }, histories);
  for await (const { workflowId, runId, error } of results) {
    yield { workflow_id: workflowId, run_id: runId, ok: error === undefined, ...divergence(error) };
  }
}

/** The SDK core reports the event only in its error message. */
function divergence(error: Error | undefined): Pick<ReplayOutcome, 'event_id' | 'event_type' | 'problem'> {
  if (!error) return { event_id: null, event_type: null, problem: null };
  const [, id, type] = /HistoryEvent\(id: (\d+), (\w+)\)/.exec(error.message) ?? [];
  return { event_id: id ? Number(id) : null, event_type: type ?? null, problem: error.message };
}
