import { WorkflowNotFoundError, type Client } from '@temporalio/client';

/**
 * Deletes the latest run of a workflow if it has failed. Attributes of a closed run cannot be changed, so a failed run
 * that is followed by another one would stay among the workflows that need a person.
 */
export async function deleteFailedRun(client: Client, workflowId: string): Promise<void> {
  try {
    const { status, runId } = await client.workflow.getHandle(workflowId).describe();
    if (status.name !== 'FAILED') return;
    await client.workflowService.deleteWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId, runId },
    });
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
