import type pino from 'pino';

interface LogLine {
  level: string;
  time: string;
  msg?: string;
  [field: string]: unknown;
}

/**
 * The log in a terminal: one short line for each login and each attempt, none for requests. What else is logged, warnings
 * and errors above all, stays as it is.
 */
export function quietly(full: pino.DestinationStream): pino.DestinationStream {
  return {
    write(text) {
      const line = JSON.parse(text) as LogLine;
      const shown = line.level === 'info' ? shortened(line) : text;
      if (shown !== null) full.write(shown);
    },
  };

  function shortened({ level, time, ...line }: LogLine): string | null {
    const message = short(line);
    if (message === undefined) return `${JSON.stringify({ level, time, ...line })}\n`;
    return message === null ? null : `${JSON.stringify({ level, time, msg: message })}\n`;
  }
}

/** The short text of a line; null leaves it out, undefined leaves it as it is. */
function short(line: Omit<LogLine, 'level' | 'time'>): string | null | undefined {
  switch (line.msg) {
    case 'request':
      return null;
    case 'session settled': {
      const reason = line['reason'] ? ` (${String(line['reason'])})` : '';
      return line['status'] === 'pending' ? null : `login ${String(line['status'])}${reason}`;
    }
    case 'attempt': {
      const result = String(line['error'] ?? line['http_status']);
      return `delivery of ${String(line['event'])}: ${result}, ${String(line['delivery_status'])}`;
    }
    default:
      return undefined;
  }
}
