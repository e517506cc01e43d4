import pino from 'pino';
import pretty from 'pino-pretty';
import { redact } from './log-redaction';
import { quietly } from './quiet-log';

export type Logger = pino.Logger;

/**
 * Logs go to standard error, because standard output is for the summary and `--json`. In a terminal they are short, unless
 * they are asked for in full (`--verbose`, or a level below info).
 */
export function createLogger(
  config: { HERALD_LOG_LEVEL: pino.LevelWithSilent; HERALD_LOG_FORMAT?: 'json' | 'pretty' | undefined },
  { destination, verbose = false }: { destination?: pino.DestinationStream; verbose?: boolean } = {},
): Logger {
  const format = config.HERALD_LOG_FORMAT ?? (process.stderr.isTTY ? 'pretty' : 'json');
  const options: pino.LoggerOptions = {
    level: config.HERALD_LOG_LEVEL,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    // `redact` formats errors; pino's own serializer would add unredacted fields.
    serializers: { err: (err: unknown) => err },
    formatters: {
      level: (label) => ({ level: label }),
      log: (fields) => redact(fields) as Record<string, unknown>,
    },
  };
  if (destination) return pino(options, destination);
  if (format === 'json') return pino(options, pino.destination({ fd: 2, sync: false }));
  const full = pretty({ destination: 2, colorize: true, translateTime: 'HH:MM:ss.l', singleLine: true });
  const isDetailed = verbose || ['trace', 'debug'].includes(config.HERALD_LOG_LEVEL);
  return pino(options, isDetailed ? full : quietly(full));
}
