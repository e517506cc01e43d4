import { Worker } from '@temporalio/worker';

/**
 * The SDK gives each worker a thread of its own for its workflow code, whose modules and heap take 20 to 30 MB even when idle.
 * These workers share one, which ends with the last of them. It is no bottleneck: the main thread has more to do for each
 * workflow task. Overrides a protected function of the SDK.
 */
export function onOneThread(workers: number, activities: readonly object[]): typeof Worker {
  const ofAll = new Map(activities.flatMap((each) => Object.entries(each)));
  let users = workers;

  class Sharing extends Worker {
    private static thread?: ReturnType<typeof Worker.createWorkflowCreator>;

    protected static override createWorkflowCreator(
      ...[bundle, options, logger]: Parameters<typeof Worker.createWorkflowCreator>
    ) {
      this.thread ??= super
        .createWorkflowCreator(bundle, { ...options, activities: ofAll }, logger)
        .then((thread) => ({
          createWorkflow: thread.createWorkflow.bind(thread),
          async destroy() {
            users -= 1;
            if (users === 0) await thread.destroy();
          },
        }));
      return this.thread;
    }
  }
  return Sharing;
}
