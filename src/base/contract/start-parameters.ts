import { limits } from './limits';

/** Deep links: what follows `start=`, by prefix. */
const prefixes = {
  /** A session made through the API; followed by its start token. */
  session: 's_',
  /** The static login link of a project; followed by the project's slug. */
  staticLink: 'auth_',
  /** Subscribes to a project; followed by the project's slug. */
  subscribe: 'proj_',
  /** An invitation to the team of a project; followed by its token. */
  invitation: 'join_',
  /** Subscribes by a link of a project; followed by its token. */
  link: 'l_',
  /** Support of a project; followed by the project's slug. */
  help: 'help_',
  /** A form that is filled in the chat; followed by the 32 hexadecimal digits of its id. */
  form: 'form_',
} as const;

/** The messengers allow no more than this in a link. */
const PARAMETER = new RegExp(`^[A-Za-z0-9_-]{1,${limits.startParameterLength}}$`);

export type StartKind = keyof typeof prefixes;

export function startParameter(kind: StartKind, rest: string): string {
  return prefixes[kind] + rest;
}

/** Null for text that no link of ours carries. */
export function parseStartParameter(text: string): { kind: StartKind; rest: string } | null {
  if (!PARAMETER.test(text)) return null;
  for (const [kind, prefix] of Object.entries(prefixes)) {
    if (text.startsWith(prefix)) return { kind: kind as StartKind, rest: text.slice(prefix.length) };
  }
  return null;
}
