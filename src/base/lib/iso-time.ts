/** ISO 8601 with the offset `+00:00`: the form of every time in responses and events. */
export function isoTime(date: Date): string {
  return date.toISOString().replace('Z', '+00:00');
}

/** For `JSON.stringify`, which passes a Date as its text ending in `Z`: so the value is taken from the object. */
export function withIsoTimes(this: unknown, key: string, value: unknown): unknown {
  const given = (this as Record<string, unknown>)[key];
  return given instanceof Date ? isoTime(given) : value;
}

export function isoTimeOrNull(date: Date | null): string | null {
  return date === null ? null : isoTime(date);
}
