type Example = Record<string, unknown>;

const ABSENT = Symbol('absent');

interface Rule {
  /** The rule is for objects with all of these fields. */
  fields: string[];
  /** The values that go together. ABSENT is null, or leaves the field out where it cannot be null. */
  values: (example: Example) => Example;
}

/**
 * What belongs together in an object of an example: counters that add up, a state with its times and its reason, one of
 * two fields that exclude each other. A value is used only where the schema of its field allows it, so that one rule
 * serves every object of a shape.
 */
const rules: Rule[] = [
  { fields: ['status', 'reason', 'delivery_id'], values: () => ({ status: 'sent', reason: ABSENT }) },
  { fields: ['flow', 'purpose'], values: () => ({ purpose: ABSENT }) },
  { fields: ['status', 'ended_at'], values: ended },
  { fields: ['status', 'next_at'], values: () => ({ status: 'active', ended_at: ABSENT }) },
  {
    fields: ['scheduled_at', 'audience'],
    values: () => ({ status: 'scheduled', audience: ABSENT, job_id: ABSENT, reason: ABSENT }),
  },
  { fields: ['next_attempt_at', 'ended_at'], values: () => ({ next_attempt_at: ABSENT }) },
  { fields: ['attempted_at', 'status'], values: () => ({ status: 200, next_attempt_at: ABSENT }) },
  { fields: ['decided_at', 'redeemed_at'], values: () => ({ status: 'consumed' }) },
  { fields: ['request_id', 'decided_at'], values: pendingRequest },
  { fields: ['sent', 'failed', 'skipped'], values: counted },
  { fields: ['sent', 'failed', 'skipped', 'details'], values: countedDetails },
  { fields: ['sent', 'failed', 'reasons'], values: () => ({ sent: 9, failed: 1, skipped: 0 }) },
  { fields: ['reached', 'sent'], values: () => ({ reached: 10 }) },
  {
    fields: ['enrolled', 'active'],
    values: () => ({ enrolled: 10, active: 6, completed: 3, exited: 1, cancelled: 0 }),
  },
  { fields: ['rows', 'updated'], values: () => ({ rows: 2, updated: 1, failed: 1 }) },
  { fields: ['row', 'code'], values: () => ({ row: 3, code: 'subscriber_not_found' }) },
  { fields: ['opened', 'redeemed'], values: logins },
  {
    fields: ['plan_logins', 'logins'],
    values: () => ({ plan_logins: 100, plan_logins_used: 1, purchased_credits: 0 }),
  },
  { fields: ['max_uses', 'uses'], values: () => ({ max_uses: 100, uses: 12, external_id: ABSENT }) },
  { fields: ['max_runs', 'runs'], values: () => ({ max_runs: ABSENT, end_at: ABSENT }) },
  { fields: ['state', 'failing_since'], values: () => ({ state: 'healthy', failing_since: ABSENT }) },
  { fields: ['text', 'url', 'data'], values: () => ({ data: ABSENT }) },
  {
    fields: ['text', 'template'],
    values: () => ({ template: ABSENT, vars: ABSENT, personalize: false }),
  },
  { fields: ['tag', 'event', 'op'], values: ({ tag }) => ({ ...only('tag'), tag }) },
  { fields: ['name', 'subscribers'], values: () => ({ name: 'vip' }) },
  { fields: ['name', 'received_at'], values: () => ({ name: 'purchase' }) },
  { fields: ['name', 'title_en', 'default'], values: () => ({ name: 'news' }) },
  { fields: ['name', 'schema', 'example'], values: () => ({ name: 'auth.completed' }) },
];

/** A rule of a drip chain asks one thing. */
function only(kept: string): Example {
  const others = [
    'tag',
    'permission',
    'has',
    'event',
    'since_minutes',
    'happened',
    'property',
    'op',
    'value',
  ];
  return Object.fromEntries(others.filter((name) => name !== kept).map((name) => [name, ABSENT]));
}

function ended({ attempt_count }: Example): Example {
  const status = attempt_count === undefined ? 'completed' : 'succeeded';
  return { status, ended_reason: 'delivered', reason: ABSENT };
}

function pendingRequest({ status }: Example): Example {
  return status === 'pending' ? { decided_at: ABSENT, subscriber_id: ABSENT } : {};
}

function counted(): Example {
  return { sent: 8, failed: 1, skipped: 1, queued: 0, remaining: 0, total: 10, total_subscribers: 10 };
}

function countedDetails({ details }: Example): Example {
  const having = (status: string) =>
    (details as Example[]).filter((each) => each['status'] === status).length;
  return { sent: having('sent'), failed: having('failed'), skipped: having('skipped') };
}

/** A day has logins that were never opened; the days are the sum of two messengers. */
function logins({ date }: Example): Example {
  return date === undefined
    ? { created: 5, opened: 5, confirmed: 4, declined: 1, expired: 0, redeemed: 4 }
    : { created: 12, opened: 10, confirmed: 8, declined: 2, expired: 2, redeemed: 8 };
}

/** What the schema of an object says about its fields. */
export interface Fields {
  allows: (name: string, value: unknown) => boolean;
  isRequired: (name: string) => boolean;
}

/** Replaces what contradicts the rest of the object, as far as its schema allows. */
export function consistent(example: Example, { allows, isRequired }: Fields): Example {
  const result = { ...example };
  for (const { fields, values } of rules) {
    if (!fields.every((field) => Object.hasOwn(example, field))) continue;
    for (const [name, value] of Object.entries(values(result))) {
      if (!Object.hasOwn(result, name)) continue;
      const wanted = value === ABSENT ? null : value;
      if (allows(name, wanted)) result[name] = wanted;
      else if (value === ABSENT && !isRequired(name)) delete result[name];
    }
  }
  return result;
}
