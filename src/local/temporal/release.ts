import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** A published Temporal CLI, which is the local server. */
export interface TemporalRelease {
  version: string;
  /** SHA-256 of the program for this machine; undefined if none is published for it. */
  sha256: string | undefined;
}

/** By platform and processor, as Node names them. */
const digests: Record<string, string> = {
  'linux-x64': '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
  'linux-arm64': '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
  'darwin-x64': 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
  'darwin-arm64': '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
};

/** The release that is installed: CLI 1.9.1 with server 1.32.0. */
export const temporalRelease: TemporalRelease = {
  version: '1.9.1',
  sha256: digests[`${process.platform}-${process.arch}`],
};

/** Nothing is fetched for a platform without a digest, because it could not be checked. */
export function requireDigest({ version, sha256 }: TemporalRelease): void {
  if (sha256) return;
  throw new Error(`no Temporal CLI ${version} is known for ${process.platform} on ${process.arch}`);
}

/** Before the program is run for the first time. */
export async function requireGenuine(file: string, { version, sha256 }: TemporalRelease): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const found = hash.digest('hex');
  if (found === sha256) return;
  throw new Error(
    `the program is not that of Temporal CLI ${version} and was refused: its SHA-256 is ${found} instead of ${sha256}`,
  );
}
