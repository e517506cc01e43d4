import { types } from 'node:util';

/** Fields that are never logged, at any depth. */
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

/** Deeper than any log entry; bounds the recursion if an object has a cycle. */
const MAX_DEPTH = 8;

/** Secrets recognised by their pattern: API keys, webhook secrets, bot tokens, passwords in URLs. */
const secretPatterns: [form: RegExp, shown: string][] = [
  [/\bhk_[0-9A-Za-z]{40}\b/g, 'hk_[redacted]'],
  [/\bhos_[\w-]{43}\b/g, 'hos_[redacted]'],
  [/\bwhsec_[\w+/-]{43}=?/g, 'whsec_[redacted]'],
  [/\d+:[\w-]{30,}/g, REDACTED],
  [/(\/\/[^\s/:@]*):[^\s/@]+@/g, '$1:[redacted]@'],
];

function redactText(text: string): string {
  return secretPatterns.reduce((shown, [form, replacement]) => shown.replaceAll(form, replacement), text);
}

/** Returns a copy without secrets. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (types.isNativeError(value)) return redactError(value);
  if (depth === MAX_DEPTH) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      secretFields.has(name.toLowerCase()) ? REDACTED : redact(item, depth + 1),
    ]),
  );
}

/** Errors of client libraries can contain whole requests and tokens, so only known harmless fields are kept. */
function redactError(error: Error): object {
  const code = (error as { code?: unknown }).code;
  return {
    type: error.name,
    message: redactText(error.message),
    ...(typeof code === 'string' ? { error_code: code } : {}),
    ...(error.stack === undefined ? {} : { stack: redactText(error.stack) }),
  };
}
