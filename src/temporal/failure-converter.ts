import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Messages and stacks of failures become payloads too, so that the codec seals them. Loaded by its path: by clients
 * and workers, and by the workflows themselves, where it is part of the bundle.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
