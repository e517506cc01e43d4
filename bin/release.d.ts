/** The files of a checkout with another version, by their paths. */
export function released(version: string, date: string, read: (file: string) => string): Map<string, string>;
