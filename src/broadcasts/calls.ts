/** A recipient, as far as the calls to the platform are concerned. */
interface Recipient {
  media_message_id: string | null;
}

/** The calls that recipients take: `calls` each, and one where the media was already sent. */
export function callsFor(recipients: readonly Recipient[], calls: number): number {
  return recipients.reduce((sum, recipient) => sum + callsOfOne(recipient, calls), 0);
}

/** The first recipients whose calls were granted. One is always taken, or a grant of one call would be no grant. */
export function withinCalls<R extends Recipient>(recipients: R[], calls: number, granted: number): R[] {
  let left = granted;
  const count = recipients.findIndex((recipient, index) => {
    left -= callsOfOne(recipient, calls);
    return left < 0 && (index > 0 || granted === 0);
  });
  return count < 0 ? recipients : recipients.slice(0, count);
}

function callsOfOne({ media_message_id }: Recipient, calls: number): number {
  return media_message_id === null ? calls : 1;
}
