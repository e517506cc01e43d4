import { WorkflowNotFoundError, type Client } from '@temporalio/client';

const DESCRIBE_LIMIT_MS = 5_000;

/** Whether the newest run of a workflow is at work. Any other state means that nobody looks after its row. */
export async function isWorkflowRunning(client: Client, workflowId: string): Promise<boolean> {
  const handle = client.workflow.getHandle(workflowId);
  try {
    const { status } = await client.withDeadline(Date.now() + DESCRIBE_LIMIT_MS, () => handle.describe());
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
