import type * as Library from 'oidc-provider' with { 'resolution-mode': 'import' };
import type { Logger } from '../../base/lib/log';

export type OidcLibrary = typeof Library;
export type { Adapter, AdapterPayload, Configuration, KoaContextWithOIDC } from 'oidc-provider' with {
  'resolution-mode': 'import',
};
export type OidcProvider = InstanceType<OidcLibrary['Provider']>;

let loaded: Promise<OidcLibrary> | undefined;

/** An ES module, loaded on the first use: a process without logins by OpenID Connect need not hold it. */
export function loadLibrary(log: Logger): Promise<OidcLibrary> {
  loaded ??= importQuietly(log);
  return loaded;
}

/** The library writes a notice about Node 20 to the console, which is the operator's; it goes to the log instead. */
async function importQuietly(log: Logger): Promise<OidcLibrary> {
  /* oxlint-disable no-console -- it is the library that writes there */
  const { warn } = console;
  console.warn = (notice: unknown) => log.debug({ notice }, 'notice of oidc-provider');
  try {
    return await import('oidc-provider');
  } finally {
    console.warn = warn;
  }
}
