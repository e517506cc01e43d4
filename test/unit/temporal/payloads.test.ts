import { historyJson, recorded } from '../../system/replay/histories';

/**
 * The fields of inputs, results and signals. Operators can read them, and nothing encrypts them: a new one belongs here
 * only if it is an id, a number, a time or a state.
 */
const FIELDS = new Set([
  ...['sessionId', 'projectId', 'deliveryId', 'jobId', 'id'],
  ...['progress', 'number', 'attempt', 'attempts', 'next', 'rows', 'updated', 'sent', 'failed'],
  ...['skipped', 'total', 'waitMs', 'leftMs', 'codeLifeMs', 'nextAt', 'nextAttemptAt', 'httpStatus'],
  ...['status', 'kind', 'flow', 'reason', 'error', 'failure', 'hasMore', 'fast', 'shown', 'afterExpress'],
]);
/** What the SDK records of a local activity. */
const CORE_FIELDS = new Set([
  ...['seq', 'activity_id', 'activity_type', 'backoff', 'complete_time', 'original_schedule_time'],
]);

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
/** What a field may say besides ids and times: words of the code, and the step ids that the author of a chain chose. */
const VALUES: Record<string, RegExp> = {
  status: oneOf(
    ...['pending', 'confirmed', 'consumed', 'declined', 'expired', 'running', 'cancelled', 'completed'],
    ...['succeeded', 'failed', 'paused', 'active', 'parked', 'ended', 'scheduled', 'sent'],
    ...['new', 'waiting', 'closed', 'removed', 'done', 'deleted', 'queued'],
  ),
  flow: oneOf('session', 'push'),
  kind: oneOf('attempted', 'ended', 'parked', 'busy', 'superseded', 'early'),
  reason: oneOf(
    ...['user', 'confirmed', 'the code was used', 'the code was not used in time', 'not answered in time'],
  ),
  failure: oneOf('exhausted', 'refused'),
  error: oneOf('timeout'),
  progress: new RegExp(
    `^(${[
      ...['step [a-z_-]{1,32}', 'route \\d+', '\\d+ updated, \\d+ failed of \\d+ rows'],
      '(running: )?\\d+ sent, \\d+ failed, \\d+ skipped, \\d+ left of \\d+',
    ].join('|')})$`,
  ),
};
/** The columns of the Temporal UI besides ids, numbers and times. */
const ATTRIBUTES: Record<string, RegExp> = {
  AuthStatus: VALUES['status'] as RegExp,
  DeliveryStatus: /^(retrying|succeeded|failed|cancelled)$/,
  State: VALUES['status'] as RegExp,
  LastError: VALUES['error'] as RegExp,
};
/** Of workflows, activities and timers. `p-8118a92813` is the slug of a test's project. */
const SUMMARIES = [
  /^the (code|session) expires$/,
  /^(decide|show the outcome in the chat|expire the code|ask in the chat)$/,
  /^((wait for )?attempt|page) \d+$/,
  /^wait for a free slot of the endpoint$/,
  /^(broadcast to \d+ subscribers( \(p-[\da-f]{10}\))?|import of \d+ rows)$/,
  /^(drip enrolment|submission of a form|ticket) of p-[\da-f]{10}$/,
  /^(what is due|recurring message|scheduled message)$/,
  VALUES['progress'] as RegExp,
  VALUES['status'] as RegExp,
];
/** Those of the code, and those of the faults that the tests inject. */
const FAILURES = [
  /^\d+ attempts failed, the last with (timeout|status \d{3})\.$/,
  /^The receiver refused it \(status \d{3}\)\.$/,
  /^activity Heartbeat timeout$/,
  /^(a fault|the database is unavailable|the chat is gone|the messenger is unavailable)$/,
];

function oneOf(...words: string[]): RegExp {
  return new RegExp(`^(${words.join('|')})$`);
}

const decoded = (payload: unknown): unknown => {
  const text = Buffer.from((payload as { data?: string }).data ?? '', 'base64').toString();
  return text === '' ? null : JSON.parse(text);
};

/** Every object with this name, at any depth. */
function named(record: unknown, name: RegExp): object[] {
  if (typeof record !== 'object' || record === null) return [];
  return Object.entries(record).flatMap(([key, value]) => [
    ...(name.test(key) && typeof value === 'object' && value !== null ? [value as object] : []),
    ...named(value, name),
  ]);
}

function payloadsIn(record: unknown): unknown[] {
  if (typeof record !== 'object' || record === null) return [];
  if ('metadata' in record && 'data' in record && typeof record.data === 'string') {
    return record.data === '' ? [] : [decoded(record)];
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
  return VALUES[field ?? '']?.test(value) ? [] : [`${field}: ${value}`];
}

/** Summaries and failure messages that say something else than the code's own sentences. */
function foreignTexts(history: unknown): string[] {
  const summaries = named(history, /^userMetadata$/).flatMap((metadata) =>
    Object.values(metadata).map((payload) => String(decoded(payload))),
  );
  const messages = named(history, /^(\w*failure|cause)$/i).flatMap((failure) =>
    'message' in failure ? [String(failure.message)] : [],
  );
  return [
    ...summaries.filter((text) => !SUMMARIES.some((pattern) => pattern.test(text))),
    ...messages.filter((text) => !FAILURES.some((pattern) => pattern.test(text))),
  ];
}

function foreignAttributes(history: unknown): string[] {
  return named(history, /^indexedFields$/)
    .flatMap((fields) => Object.entries(fields).map(([name, payload]) => [name, decoded(payload)] as const))
    .filter(
      ([name, value]) =>
        typeof value === 'string' && !UUID.test(value) && !TIME.test(value) && !ATTRIBUTES[name]?.test(value),
    )
    .map(([name, value]) => `${name}: ${String(value)}`);
}

const historyOf = (name: string): unknown => JSON.parse(historyJson(name));

test.each(recorded)('%s has only ids, numbers, times and states in its payloads', (file) => {
  const payloads = payloadsIn(historyOf(file));
  expect(payloads.length).toBeGreaterThan(0);
  expect(payloads.flatMap((payload) => offences(payload))).toEqual([]);
});

test.each(recorded)('%s has only words of the code in summaries, failures and columns', (file) => {
  const history = historyOf(file);
  expect(foreignTexts(history)).toEqual([]);
  expect(foreignAttributes(history)).toEqual([]);
});

test('summaries, failures and columns are found in the histories', () => {
  const histories = recorded.map(historyOf);
  for (const name of [/^userMetadata$/, /failure$/i, /^indexedFields$/]) {
    expect(named(histories, name).length).toBeGreaterThan(0);
  }
});

test('a name, a text or a code in a payload would be noticed', () => {
  const id = '03ede6ed-ae7f-4684-9a74-3106fba53a3c';
  expect(offences({ deliveryId: id, nextAt: '2026-11-17T03:04:16.725Z', waitMs: 5 })).toEqual([]);
  expect(offences({ sessionId: id, firstName: 'Anna' })).toEqual(['field firstName']);
  expect(offences({ status: '493021' })).toEqual(['status: 493021']);
  expect(offences({ reason: 'Dear Anna, welcome!' })).toEqual(['reason: Dear Anna, welcome!']);
  expect(offences({ reason: 'Anna' })).toEqual(['reason: Anna']);
  expect(offences(['493021'])).toEqual(['null: 493021']);
  const payload = (text: string) => ({
    metadata: {},
    data: Buffer.from(JSON.stringify(text)).toString('base64'),
  });
  const history = {
    events: [
      { userMetadata: { summary: payload('send to Anna') } },
      { attributes: { failure: { message: 'no chat with Anna', cause: { message: 'x' } } } },
      {
        attributes: {
          searchAttributes: { indexedFields: { State: payload('Anna'), ProjectId: payload(id) } },
        },
      },
    ],
  };
  expect(foreignTexts(history)).toEqual(['send to Anna', 'no chat with Anna', 'x']);
  expect(foreignAttributes(history)).toEqual(['State: Anna']);
});
