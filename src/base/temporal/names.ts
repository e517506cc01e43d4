import type { defineSearchAttributeKey } from '@temporalio/common';

/** All names that Herald uses in Temporal: task queues, workflow ids, search attributes. */

export const workflowIds = {
  authSession: (sessionId: string) => `auth/${sessionId}`,
  delivery: (deliveryId: string) => `delivery/${deliveryId}`,
  broadcast: (jobId: string) => `broadcast/${jobId}`,
  subscriberImport: (importId: string) => `import/${importId}`,
  batch: (batchId: string) => `batch/${batchId}`,
  scheduled: (scheduledId: string) => `scheduled/${scheduledId}`,
  drip: (enrolmentId: string) => `drip/${enrolmentId}`,
  recurring: (recurringId: string) => `recurring/${recurringId}`,
  form: (submissionId: string) => `form/${submissionId}`,
  ticket: (ticketId: string) => `ticket/${ticketId}`,
} as const;

/** Signals only wake a workflow, which reads its row: it has changed, or the login's one-time code was redeemed. */
export const signals = { changed: 'changed', redeemed: 'redeemed' } as const;

/**
 * One queue per kind of work, so that none can starve another: `broadcasts` runs broadcasts, batches, recurring messages and
 * imports; `campaigns` runs scheduled messages, drip enrolments, the timers of tickets and the routes of forms. The prefix
 * isolates test runs.
 */
export function taskQueues(prefix: string) {
  return {
    logins: `${prefix}-logins`,
    deliveries: `${prefix}-deliveries`,
    broadcasts: `${prefix}-broadcasts`,
    campaigns: `${prefix}-campaigns`,
  } as const;
}

export type TaskQueues = ReturnType<typeof taskQueues>;
export type QueueName = keyof TaskQueues;

/** The columns of the Temporal UI's workflow list. They hold ids and statuses, never names. */
export const searchAttributeTypes = {
  ProjectId: 'Keyword',
  EndpointId: 'Keyword',
  EventName: 'Keyword',
  DeliveryStatus: 'Keyword',
  LastError: 'Keyword',
  AuthFlow: 'Keyword',
  AuthStatus: 'Keyword',
  State: 'Keyword',
  Attempt: 'Int',
  LastHttpStatus: 'Int',
  NextAttemptAt: 'Datetime',
  NextAt: 'Datetime',
} as const satisfies Record<string, 'Keyword' | 'Int' | 'Datetime'>;

export type SearchAttributeName = keyof typeof searchAttributeTypes;

/** Plain data, as Temporal's own function returns it: its package is slow to load, and every command of the CLI imports this. */
const attribute: typeof defineSearchAttributeKey = (name, type) => ({ name, type });

/** The same attributes as typed keys, for starts and upserts. */
export const searchAttributes = {
  ProjectId: attribute('ProjectId', 'KEYWORD'),
  EndpointId: attribute('EndpointId', 'KEYWORD'),
  EventName: attribute('EventName', 'KEYWORD'),
  DeliveryStatus: attribute('DeliveryStatus', 'KEYWORD'),
  LastError: attribute('LastError', 'KEYWORD'),
  AuthFlow: attribute('AuthFlow', 'KEYWORD'),
  AuthStatus: attribute('AuthStatus', 'KEYWORD'),
  State: attribute('State', 'KEYWORD'),
  Attempt: attribute('Attempt', 'INT'),
  LastHttpStatus: attribute('LastHttpStatus', 'INT'),
  NextAttemptAt: attribute('NextAttemptAt', 'DATETIME'),
  NextAt: attribute('NextAt', 'DATETIME'),
} as const satisfies Record<SearchAttributeName, unknown>;
