import type { Language } from '../../base/contract/common';
import { KIB, limits, MIB, plans, teamLimits } from '../../base/contract/limits';

const facts = { limits, plans, teamLimits };
const units: Record<string, number> = { KiB: KIB, MiB: MIB, minutes: 60, percent: 0.01 };
const PLACEHOLDER = /\{\{(limits|plans|teamLimits)\.([\w.]+)(?: in (\w+))?\}\}/g;

/** Fills in `{{limits.pageSize.max}}` and `{{limits.requestBodyBytes in MiB}}`, as the code has them. */
export function withLimits(text: string, language: Language): string {
  return text.replaceAll(
    PLACEHOLDER,
    (placeholder, table: keyof typeof facts, path: string, unit?: string) => {
      const amount = path.split('.').reduce<unknown>((value, name) => Object(value)[name], facts[table]);
      const size = unit === undefined ? 1 : units[unit];
      if (typeof amount !== 'number' || size === undefined) throw new Error(`no such limit: ${placeholder}`);
      return (amount / size).toLocaleString(language);
    },
  );
}
