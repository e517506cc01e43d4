import type { SdkName } from '../../openapi/sdk-names';

export type Json = Record<string, unknown>;

/** A request as a call of the SDKs. */
export interface SdkCall extends SdkName {
  /** The values of the path parameters, in the order of the path. */
  params: string[];
  query: Record<string, string | number>;
  /** The SDK for Python takes the fields of the body as keywords; otherwise the body is one argument. */
  spread: boolean;
}

/** A request of the API as a sample shows it. Values to fill in stand in angle brackets: `<session_id>`. */
export interface SampleRequest {
  method: string;
  /** Absolute, with path parameters and query filled in. */
  url: string;
  /** Whether the request needs the API key, which samples read from HERALD_API_KEY. */
  needsKey: boolean;
  headers: Record<string, string>;
  body?: unknown;
  /** A body that is not JSON; its type is in the headers. */
  text?: string;
  /** The name of the file that is the body; its type is in the headers. */
  file?: string;
  /** The same request through the SDKs. */
  call: SdkCall;
  /** What a success returns. */
  returns: 'json' | 'binary' | 'events' | 'nothing';
}

/** The name of the environment variable with the API key. */
export const KEY_VARIABLE = 'HERALD_API_KEY';

/** Names that may stand unquoted in an object of JavaScript. */
export function isPlainName(name: string): boolean {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name);
}

/** Indents every line but the first. */
export function indentRest(text: string, spaces: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(spaces)}`);
}

/** How a language writes the values of JSON. */
export interface Notation {
  text: (value: string) => string;
  nothing: string;
  boolean: (value: boolean) => string;
  list: [open: string, close: string];
  object: [open: string, close: string];
  key: (name: string) => string;
  indent: number;
}

const LINE = 72;

/** A JSON value as a literal: on one line where it is short, otherwise one entry a line. */
export function literal(value: unknown, notation: Notation): string {
  if (value === null || value === undefined) return notation.nothing;
  if (typeof value === 'string') return notation.text(value);
  if (typeof value === 'boolean') return notation.boolean(value);
  if (typeof value !== 'object') return String(value);
  const isList = Array.isArray(value);
  const entries = isList
    ? value.map((item) => literal(item, notation))
    : Object.entries(value).map(([name, item]) => notation.key(name) + literal(item, notation));
  const [open, close] = isList ? notation.list : notation.object;
  if (entries.length === 0) return open + close;
  const padding = open === '{' && !isList && notation.indent === 2 ? ' ' : '';
  const line = `${open}${padding}${entries.join(', ')}${padding}${close}`;
  if (line.length <= LINE && !line.includes('\n')) return line;
  const step = ' '.repeat(notation.indent);
  return `${open}\n${entries.map((entry) => `${step}${indentRest(entry, notation.indent)},\n`).join('')}${close}`;
}
