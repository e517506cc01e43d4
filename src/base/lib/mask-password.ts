const MASK = '***';

/** A URL as it may be shown: with neither the password of its user nor one in its query. */
export function maskPassword(text: string): string {
  const url = new URL(text);
  if (url.password !== '') url.password = MASK;
  for (const name of new Set(url.searchParams.keys())) {
    if (name.toLowerCase().includes('password')) url.searchParams.set(name, MASK);
  }
  return url.href;
}
