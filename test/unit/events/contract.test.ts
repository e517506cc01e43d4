import '../../../src/domains/bots/registry';
import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { eventTypes } from '../../../src/domains/events/contract';
import {
  eventBody,
  testData,
  eventNames,
  eventRegistry,
  failureReasons,
  isExtension,
} from '../../../src/domains/events/contract';

/** As the specification lists them. */
const specified = `
  subscription.created subscription.deleted subscription.permission_changed
  delivery.success delivery.failed
  broadcast.completed broadcast.cancelled batch.completed
  otp.sent otp.verified otp.failed_attempt otp.max_attempts_reached
  auth.completed button.clicked
  ticket.created ticket.replied ticket.status_changed ticket.assigned ticket.closed ticket.csat_received
  ticket.unanswered_24h
  scheduled.sent scheduled.failed scheduled.skipped drip.step_sent drip.completed recurring.sent
  event.tracked form.submitted`
  .trim()
  .split(/\s+/);

/** What Herald adds to them. */
const extensions = [
  'auth.approved',
  'auth.declined',
  'endpoint.failing',
  'endpoint.disabled',
  'endpoint.recovered',
  'credits.low',
  'credits.exhausted',
];

const subscriberFields = [
  'subscriber_id',
  'channel',
  'external_id',
  'first_name',
  'username',
  'lang',
  'permissions',
  'tags',
  'active',
  'blocked',
  'created_at',
];

const fieldsOf = (name: keyof typeof eventRegistry) => Object.keys(eventRegistry[name].example).sort();

describe('the event catalogue', () => {
  it('has every event of the specification, and extensions that are called so', () => {
    expect([...eventNames].sort()).toEqual([...specified, ...extensions].sort());
    expect(eventNames.filter(isExtension)).toEqual(extensions);
    for (const { name, description } of eventTypes()) {
      expect([name, description.includes('extension')]).toEqual([name, extensions.includes(name)]);
    }
  });

  it.each(eventTypes().map((entry) => [entry.name, entry] as const))(
    'describes %s by a JSON Schema that its example fits',
    (_name, entry) => {
      // The values of a tracked event's properties have one of three types.
      const ajv = new Ajv({ strict: true, allowUnionTypes: true });
      addFormats(ajv);
      const validate = ajv.compile(entry.schema);
      expect(validate(entry.example) ? [] : validate.errors).toEqual([]);
      // A later version may add fields; those of today stay.
      expect(validate({ ...entry.example, unknown: 1 })).toBe(true);
      expect(validate({ event: entry.name })).toBe(false);
      expect(entry.description).toMatch(/\.$/);
      // What is shown before a test event is what the event sends.
      expect(JSON.stringify(entry.example)).toBe(eventBody(entry.name, testData(entry.name) as never));
    },
  );

  it('gives the payloads that the specification shows exactly their fields', () => {
    expect(fieldsOf('subscription.created')).toEqual([...subscriberFields].sort());
    expect(fieldsOf('subscription.deleted')).toEqual([...subscriberFields].sort());
    expect(fieldsOf('auth.completed')).toEqual([...subscriberFields, 'state', 'auth_time'].sort());
    expect(fieldsOf('delivery.failed')).toEqual(
      [
        'subscriber_id',
        'channel',
        'external_id',
        'reason',
        'retryable',
        'should_unsubscribe',
        'error',
        'attempted_at',
      ].sort(),
    );
    for (const name of ['broadcast.completed', 'broadcast.cancelled'] as const) {
      expect(fieldsOf(name)).toEqual(['failed', 'job_id', 'sent', 'skipped', 'total']);
    }
    const { sent, failed, skipped, total } = eventRegistry['broadcast.completed'].example;
    expect(total).toBe(sent + failed + skipped);
  });

  it('knows the reasons of a failed delivery', () => {
    expect(failureReasons).toEqual([
      'user_blocked_bot',
      'chat_not_found',
      'bot_banned',
      'invalid_message',
      'rate_limited',
      'platform_unavailable',
      'unknown',
    ]);
  });

  it('makes a body of event and data, and refuses a payload that the catalogue does not describe', () => {
    const data = eventRegistry['auth.completed'].example;
    expect(JSON.parse(eventBody('auth.completed', data))).toEqual({ event: 'auth.completed', data });
    const withMore = { ...data, email: 'nobody@example.com' };
    expect(() => eventBody('auth.completed', withMore)).toThrow(/email/);
  });
});
