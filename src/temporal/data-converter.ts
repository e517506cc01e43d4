import type { DataConverter } from '@temporalio/common';
import type { EncryptionKey } from '../lib/cipher';
import { createPayloadCodec } from './payload-codec';

export const failureConverterPath = require.resolve('./failure-converter');

/** Used by clients, workers and replays. Without keys payloads are not encrypted; they contain no secrets. */
export function createDataConverter(keys: readonly EncryptionKey[] | undefined): DataConverter {
  if (!keys) return {};
  return { payloadCodecs: [createPayloadCodec(keys)], failureConverterPath };
}

/** The failure converter is part of the bundle, so there is one bundle with encryption and one without. */
export function bundleName({ sealed }: { sealed: boolean }): string {
  return sealed ? 'workflow-bundle-sealed.js' : 'workflow-bundle.js';
}
