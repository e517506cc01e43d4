import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Encodes messages and stacks of failures as payloads, so that the codec encrypts them. Clients, workers and the
 * workflow bundle load it by path.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
