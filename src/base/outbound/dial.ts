import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { vettedAddresses } from './addresses';
import { type Lookup, systemLookup } from './lookup';

interface DialOptions {
  allowLocal: boolean;
  timeoutMs: number;
  lookup?: Lookup;
  /** Certificate authorities to trust instead of the system's. */
  ca?: string;
}

/**
 * Connects only to vetted addresses. The lookup inside the connection attempt returns the addresses that it has
 * checked, so DNS cannot change between check and dial. IP literals bypass the lookup and are checked here.
 */
export function createVettedConnector(options: DialOptions): buildConnector.connector {
  const { allowLocal, timeoutMs, lookup = systemLookup, ca } = options;

  const vettedLookup: LookupFunction = (hostname, { all, family }, callback) => {
    vettedAddresses(hostname, { allowLocal }, lookup).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (all) return callback(null, found);
        const chosen = found.find((each) => !family || each.family === family) ?? found[0]!;
        callback(null, chosen.address, chosen.family);
      },
      (error: Error) => callback(error, '', 0),
    );
  };

  const connect = buildConnector({
    lookup: vettedLookup,
    timeout: timeoutMs,
    allowH2: false,
    autoSelectFamily: true,
    // Node's default of 250 ms is too short for distant receivers.
    autoSelectFamilyAttemptTimeout: 2_000,
    ...(ca === undefined ? {} : { ca }),
  });

  return (target, callback) => {
    if (isIP(target.hostname) === 0) return connect(target, callback);
    vettedAddresses(target.hostname, { allowLocal }, lookup).then(
      () => connect(target, callback),
      (error: Error) => callback(error, null),
    );
  };
}
