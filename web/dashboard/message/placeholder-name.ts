import { t } from '../texts';

/** What a placeholder stands for, in words. */
export function placeholderName(name: string): string {
  const known = t.placeholderNames as Record<string, string | undefined>;
  return known[name] ?? name.replace(/^(?:properties|event)\./, '');
}
