/** ISO 8601 with the offset `+00:00`: the form of every time in responses and events. */
export function isoTime(date: Date): string {
  return date.toISOString().replace('Z', '+00:00');
}

export function isoTimeOrNull(date: Date | null): string | null {
  return date === null ? null : isoTime(date);
}
