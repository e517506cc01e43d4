import pino from 'pino';
import pretty from 'pino-pretty';
import type { Config } from './config';

export type Logger = pino.Logger;

/** Fields that never reach a log, wherever an object carries them. */
const secretFields = [
  'authorization',
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
];

const redact = {
  paths: secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
  censor: '[redacted]',
};

/**
 * Errors of client libraries carry whole requests, tokens included: only what is known to be harmless is kept.
 */
function presentError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  const code = (error as { code?: unknown }).code;
  return { type: name, message, ...(typeof code === 'string' ? { error_code: code } : {}), stack };
}

/** Logs go to standard error: standard output belongs to the summary and to `--json`. */
export function createLogger(config: Pick<Config, 'HERALD_LOG_LEVEL' | 'HERALD_LOG_FORMAT'>): Logger {
  const format = config.HERALD_LOG_FORMAT ?? (process.stderr.isTTY ? 'pretty' : 'json');
  const options: pino.LoggerOptions = {
    level: config.HERALD_LOG_LEVEL,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact,
    serializers: { err: presentError },
  };
  if (format === 'json') return pino(options, pino.destination({ fd: 2, sync: false }));
  return pino(
    options,
    pretty({ destination: 2, colorize: true, translateTime: 'HH:MM:ss.l', singleLine: true }),
  );
}
