/** Queries for the list of workflows in the Temporal UI. docs/operations.md has more of them. */
export const savedQueries = {
  retrying: 'DeliveryStatus = "retrying" AND ExecutionStatus = "Running"',
  failed: 'WorkflowType = "deliverWebhook" AND ExecutionStatus = "Failed"',
} as const;

/** The list with a query in it, by the URL of the namespace in the Temporal UI. */
export function workflowListUrl(namespaceUrl: string, query: string): string {
  return `${namespaceUrl}/workflows?query=${encodeURIComponent(query)}`;
}
