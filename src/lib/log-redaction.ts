import { types } from 'node:util';

/** Fields that never reach a log, wherever an object carries them. */
const secretFields = new Set([
  'authorization',
  'cookie',
  'api_key',
  'code',
  'code_verifier',
  'secret',
  'token',
  'password',
  'first_name',
  'last_name',
  'username',
  'text',
  'body',
]);

const REDACTED = '[redacted]';

/** Deeper than any line of ours: what lies below is left out, so that no cycle can hang the process. */
const MOST_LEVELS = 8;

/** Secrets that can be told by their form: API keys, webhook secrets, bot tokens, passwords in addresses. */
const secretForms: [form: RegExp, shown: string][] = [
  [/\bhk_[0-9A-Za-z]{40}\b/g, 'hk_[redacted]'],
  [/\bwhsec_[\w-]{43}/g, 'whsec_[redacted]'],
  [/\d+:[\w-]{30,}/g, REDACTED],
  [/(\/\/[^\s/:@]*):[^\s/@]+@/g, '$1:[redacted]@'],
];

function redactedText(text: string): string {
  return secretForms.reduce((shown, [form, replacement]) => shown.replaceAll(form, replacement), text);
}

/** A copy of what is logged, without its secrets. */
export function redacted(value: unknown, level = 0): unknown {
  if (typeof value === 'string') return redactedText(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (types.isNativeError(value)) return presentError(value);
  if (level === MOST_LEVELS) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => redacted(item, level + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      secretFields.has(name.toLowerCase()) ? REDACTED : redacted(item, level + 1),
    ]),
  );
}

/** Errors of client libraries carry whole requests, tokens included: only what is known to be harmless is kept. */
function presentError(error: Error): object {
  const code = (error as { code?: unknown }).code;
  return {
    type: error.name,
    message: redactedText(error.message),
    ...(typeof code === 'string' ? { error_code: code } : {}),
    ...(error.stack === undefined ? {} : { stack: redactedText(error.stack) }),
  };
}
