import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { searchAttributes } from '../../base/temporal/names';

/** How the last attempt of a delivery went. */
export interface LastAttempt {
  httpStatus: number | null;
  error: string | null;
}

/** How a delivery that waits for its next attempt stands in the UI's list: its start or its workflow writes it there. */
export function retryingAttributes(
  attempt: number,
  { httpStatus, error }: LastAttempt,
  next: number | null,
): SearchAttributeUpdatePair[] {
  return [
    { key: searchAttributes.DeliveryStatus, value: 'retrying' },
    { key: searchAttributes.Attempt, value: attempt },
    { key: searchAttributes.LastHttpStatus, value: httpStatus },
    { key: searchAttributes.LastError, value: error },
    { key: searchAttributes.NextAttemptAt, value: next === null ? null : new Date(next) },
  ];
}
