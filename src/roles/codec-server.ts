import { createOpenApp } from '../http/app';
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
  const app = createOpenApp(
    { routes: [], pages: [codecServer({ codec: createPayloadCodec(keys), ...options })] },
    { log, docsUrl },
  );
  return startServer({ app, host, port, docsUrl });
}
