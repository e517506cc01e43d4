import { channels, type Channel } from '../../base/contract/common';

/** `<name>_link` and the like of a response, for each messenger. */
export function linkFields<Suffix extends string>(
  suffix: Suffix,
  linkOf: (channel: Channel) => string | null,
): Record<`${Channel}_${Suffix}`, string | null> {
  const fields = channels.map((channel) => [`${channel}_${suffix}`, linkOf(channel)]);
  return Object.fromEntries(fields) as Record<`${Channel}_${Suffix}`, string | null>;
}
