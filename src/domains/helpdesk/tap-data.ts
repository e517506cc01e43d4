/** What a button of the helpdesk means. A client can forge it; it only ever acts on the tickets of the user who taps. */
type HelpdeskTap =
  | { kind: 'type'; id: string }
  | { kind: 'ticket'; id: string }
  | { kind: 'rating'; id: string; score: number };

const prefixes = { type: 'ht', ticket: 'hk', rating: 'hr' } as const;
const DATA = /^(ht|hk|hr):([0-9a-f]{32})(?::([1-5]))?$/;

export function tapData(tap: HelpdeskTap): string {
  const data = `${prefixes[tap.kind]}:${tap.id.replaceAll('-', '')}`;
  return tap.kind === 'rating' ? `${data}:${tap.score}` : data;
}

/** Null for any other button. */
export function parseTap(data: string): HelpdeskTap | null {
  const [, prefix, hex, score] = DATA.exec(data) ?? [];
  if (hex === undefined) return null;
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  if (prefix === prefixes.rating) {
    return score === undefined ? null : { kind: 'rating', id, score: Number(score) };
  }
  if (score !== undefined) return null;
  return { kind: prefix === prefixes.type ? 'type' : 'ticket', id };
}
