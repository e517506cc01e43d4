/** Deeper than anything a platform sends. */
const MAX_DEPTH = 64;
const REPLACEMENT = '\ufffd';

/** PostgreSQL can store neither NUL nor unpaired surrogates in text: they become U+FFFD. */
export function storableText(text: string): string {
  return text.replaceAll('\0', REPLACEMENT).replaceAll(/\p{Surrogate}/gu, REPLACEMENT);
}

/** A parsed update as it can be stored. The platform would repeat one that is refused for ever. */
export function storable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => storable(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [storableText(key), storable(item, depth + 1)]),
  );
}
