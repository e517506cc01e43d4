const MASK = '***';

/** A URL without passwords, neither in its user part nor in its query, so that it can be shown. */
export function maskPassword(text: string): string {
  const url = new URL(text);
  if (url.password !== '') url.password = MASK;
  for (const name of new Set(url.searchParams.keys())) {
    if (name.toLowerCase().includes('password')) url.searchParams.set(name, MASK);
  }
  return url.href;
}
