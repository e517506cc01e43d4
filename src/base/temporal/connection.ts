import { readFile } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, type TLSConfig } from '@temporalio/worker';
import type { Config } from '../config';

export interface TemporalSettings extends Pick<
  Config,
  | 'TEMPORAL_NAMESPACE'
  | 'TEMPORAL_API_KEY'
  | 'TEMPORAL_TLS'
  | 'TEMPORAL_TLS_CERT_FILE'
  | 'TEMPORAL_TLS_KEY_FILE'
  | 'TEMPORAL_TLS_CA_FILE'
> {
  address: string;
}

interface DialOptions {
  address: string;
  tls?: TLSConfig;
  apiKey?: string;
}

/** Connection options for both the client and the worker. */
async function dialOptions(settings: TemporalSettings): Promise<DialOptions> {
  const { TEMPORAL_TLS_CERT_FILE: cert, TEMPORAL_TLS_KEY_FILE: key, TEMPORAL_TLS_CA_FILE: ca } = settings;
  const options: DialOptions = { address: settings.address };
  if (settings.TEMPORAL_API_KEY) options.apiKey = settings.TEMPORAL_API_KEY;
  if (!settings.TEMPORAL_TLS && !settings.TEMPORAL_API_KEY && !cert && !ca) return options;
  options.tls = {
    ...(ca ? { serverRootCACertificate: await readFile(ca) } : {}),
    ...(cert && key ? { clientCertPair: { crt: await readFile(cert), key: await readFile(key) } } : {}),
  };
  return options;
}

/** For processes without a worker. Connects on first use, so that the API can start while Temporal is unavailable. */
export async function createLazyClient(settings: TemporalSettings): Promise<Client> {
  const connection = Connection.lazy(await dialOptions(settings));
  return new Client({ connection, namespace: settings.TEMPORAL_NAMESPACE });
}

/** The worker's connection; a client on it can request eager starts. */
export async function connectNative(settings: TemporalSettings): Promise<NativeConnection> {
  return NativeConnection.connect(await dialOptions(settings));
}

export function clientOn(
  connection: NativeConnection,
  settings: Pick<TemporalSettings, 'TEMPORAL_NAMESPACE'>,
): Client {
  return new Client({ connection, namespace: settings.TEMPORAL_NAMESPACE });
}
