import { WorkflowNotFoundError, type Client } from '@temporalio/client';

const DESCRIBE_TIMEOUT_MS = 5_000;

/** Whether the latest run of a workflow is running. In any other state no workflow handles its row. */
export async function isWorkflowRunning(client: Client, workflowId: string): Promise<boolean> {
  const handle = client.workflow.getHandle(workflowId);
  try {
    const { status } = await client.withDeadline(Date.now() + DESCRIBE_TIMEOUT_MS, () => handle.describe());
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
