import { temporal } from '@temporalio/proto';

const { History } = temporal.api.history.v1;
export type History = temporal.api.history.v1.IHistory;

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const DURATION = /^\d+(\.\d+)?s$/;

/**
 * Reads a history exported by the Temporal UI or the `temporal` CLI. The SDK's own reader needs a single copy of
 * protobufjs in the dependency tree, which npm does not guarantee; the plain protobuf reader lacks only times and
 * durations.
 */
export function readHistoryJson(text: string): History {
  const plain = JSON.parse(text, (key, value: unknown) => {
    if (typeof value !== 'string') return value;
    if (TIME.test(value) && /Time$|ExpirationTime|Timestamp$/.test(key)) return timestamp(value);
    if (DURATION.test(value) && /Timeout$|Interval$|Delay$|Backoff$|Duration$|Ttl$/.test(key)) {
      return duration(value);
    }
    return value;
  }) as { events?: unknown };
  if (!Array.isArray(plain?.events)) throw new TypeError('it has no list of events');
  return History.fromObject(plain);
}

function timestamp(value: string) {
  const [, fraction = ''] = /\.(\d+)Z$/.exec(value) ?? [];
  return { seconds: String(Math.floor(Date.parse(value) / 1000)), nanos: Number(fraction.padEnd(9, '0')) };
}

function duration(value: string) {
  const [seconds = '0', fraction = ''] = value.slice(0, -1).split('.');
  return { seconds, nanos: Number(fraction.padEnd(9, '0')) };
}
