/** ISO 8601 with the offset `+00:00`, as the specification writes the times of events and subscribers. */
export function isoTime(date: Date): string {
  return date.toISOString().replace('Z', '+00:00');
}
