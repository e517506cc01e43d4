import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const historiesDir = path.join(__dirname, '..', '..', 'system', 'replay', 'histories');
const recorded = readdirSync(historiesDir, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.json'),
);

/**
 * The fields of inputs, results and signals. Operators can read them, and nothing encrypts them: a new one belongs here
 * only if it is an id, a number, a time or a state.
 */
const FIELDS = new Set([
  ...[
    'sessionId',
    'projectId',
    'deliveryId',
    'jobId',
    'importId',
    'scheduledId',
    'recurringId',
    'enrolmentId',
  ],
  ...['stepId', 'number', 'attempt', 'attempts', 'next', 'rows', 'updated', 'sent', 'failed'],
  ...['skipped', 'total', 'waitMs', 'leftMs', 'codeLifeMs', 'nextAt', 'nextAttemptAt', 'httpStatus'],
  ...['status', 'kind', 'flow', 'reason', 'error', 'failure', 'hasMore', 'fast', 'shown', 'afterExpress'],
]);
/** What the SDK records of a local activity. */
const CORE_FIELDS = new Set([
  ...['seq', 'activity_id', 'activity_type', 'backoff', 'complete_time', 'original_schedule_time'],
]);

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
/** A state, a step's id, or a reason in words of the code. */
const WORDS = /^[A-Za-z_-]+( [a-z]+)*$/;

function payloadsIn(record: unknown): unknown[] {
  if (typeof record !== 'object' || record === null) return [];
  if ('metadata' in record && 'data' in record && typeof record.data === 'string') {
    const text = Buffer.from(record.data, 'base64').toString();
    return text === '' ? [] : [JSON.parse(text)];
  }
  return Object.entries(record)
    .filter(([name]) => name !== 'userMetadata' && name !== 'searchAttributes')
    .flatMap(([, value]) => payloadsIn(value));
}

/** What does not belong into a payload. */
function offences(value: unknown, field: string | null = null): string[] {
  if (field !== null && CORE_FIELDS.has(field)) return [];
  if (field !== null && !FIELDS.has(field)) return [`field ${field}`];
  if (Array.isArray(value)) return value.flatMap((each) => offences(each));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, each]) => offences(each, name));
  }
  if (typeof value !== 'string' || UUID.test(value) || TIME.test(value)) return [];
  return field !== null && WORDS.test(value) && value.length <= 64 ? [] : [`${field}: ${value}`];
}

test.each(recorded)('%s has only ids, numbers, times and states in its payloads', (file) => {
  const payloads = payloadsIn(JSON.parse(readFileSync(path.join(historiesDir, file), 'utf8')));
  expect(payloads.length).toBeGreaterThan(0);
  expect(payloads.flatMap((payload) => offences(payload))).toEqual([]);
});

test('a name, a text or a code in a payload would be noticed', () => {
  const id = '03ede6ed-ae7f-4684-9a74-3106fba53a3c';
  expect(offences({ deliveryId: id, nextAt: '2026-11-17T03:04:16.725Z', waitMs: 5 })).toEqual([]);
  expect(offences({ sessionId: id, firstName: 'Anna' })).toEqual(['field firstName']);
  expect(offences({ status: '493021' })).toEqual(['status: 493021']);
  expect(offences({ reason: 'Dear Anna, welcome!' })).toEqual(['reason: Dear Anna, welcome!']);
  expect(offences(['493021'])).toEqual(['null: 493021']);
});
