import type { Properties } from '../subscribers/contract';

/** What enrols a subscriber into the chains whose trigger it is. */
export type Cause =
  | { type: 'subscription'; subscriberId: string }
  | { type: 'tag_added'; subscriberId: string; tag: string }
  | { type: 'event'; subscriberId: string; name: string; properties: Properties };

/** Tags that a subscriber did not have before. */
export function addedTags(
  subscriberId: string,
  before: readonly string[],
  after: readonly string[],
): Cause[] {
  return after
    .filter((tag) => !before.includes(tag))
    .map((tag) => ({ type: 'tag_added', subscriberId, tag }));
}
