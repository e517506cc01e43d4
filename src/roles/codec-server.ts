import { AppError } from '../contract/errors';
import { createApp } from '../http/app';
import { codecServer } from '../http/codec-server';
import { startServer, type RunningServer } from '../http/server';
import type { EncryptionKey } from '../lib/cipher';
import type { Logger } from '../lib/log';
import { createPayloadCodec } from '../temporal/payload-codec';

export interface CodecServerOptions {
  keys: EncryptionKey[];
  token: string;
  host: string;
  port: number;
  /** The URL of the Temporal UI. */
  uiUrl: string | undefined;
  log: Logger;
}

/** Decrypts payloads for the Temporal UI and CLI. It needs only the payload keys. */
export function startCodecServer({
  keys,
  log,
  host,
  port,
  ...options
}: CodecServerOptions): Promise<RunningServer> {
  const docsUrl = () => 'https://docs.temporal.io/codec-server';
  const app = createApp(
    { routes: [], pages: [codecServer({ codec: createPayloadCodec(keys), ...options })] },
    {
      authenticate: () => Promise.reject(new AppError('not_found')),
      countRequest: () => Promise.reject(new AppError('not_found')),
      runOnce: () => Promise.reject(new AppError('not_found')),
      audited: () => Promise.reject(new AppError('not_found')),
      checkResponses: false,
      log,
      docsUrl,
      stopping: () => false,
      trustedProxies: 0,
      httpsOnly: false,
    },
  );
  return startServer({ app, host, port, docsUrl });
}
