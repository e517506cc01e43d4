import type { DataConverter } from '@temporalio/common';
import type { EncryptionKey } from '../lib/cipher';
import { createPayloadCodec } from './payload-codec';

export const failureConverterPath = require.resolve('./failure-converter');

/** For clients, workers and replays alike. Without keys payloads are readable, and hold nothing that must not be. */
export function createDataConverter(keys: readonly EncryptionKey[] | undefined): DataConverter {
  if (!keys) return {};
  return { payloadCodecs: [createPayloadCodec(keys)], failureConverterPath };
}

/** The workflows' own failures are made inside the bundle, so there is one bundle for each way to write them. */
export function bundleName({ sealed }: { sealed: boolean }): string {
  return sealed ? 'workflow-bundle-sealed.js' : 'workflow-bundle.js';
}
