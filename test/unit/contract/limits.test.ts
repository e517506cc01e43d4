import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import { newBatchSchema } from '../../../src/domains/broadcasts/batch/contract';
import { newRecurringSchema } from '../../../src/domains/recurring/contract';
import { newScheduledSchema } from '../../../src/domains/scheduled/contract';
import { limits } from '../../../src/base/contract/limits';
import { withLimits } from '../../../src/site/docs/limit-texts';
import { newChainSchema, newEnrolmentSchema } from '../../../src/domains/drip/contract';
import { trackSchema } from '../../../src/domains/subscribers/tracked/contract';
import { isInRange } from '../../../src/domains/subscribers/tracked/track';
import { sendSchema } from '../../../src/domains/messages/contract';
import { subscriberChangesSchema } from '../../../src/domains/subscribers/contract';
import { newTemplateSchema } from '../../../src/domains/templates/contract';

const root = path.join(__dirname, '..', '..', '..');
const filesIn = (folder: string) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
    path.join(root, folder, name),
  );

test('the code or a guide uses every limit', () => {
  const source = filesIn('src')
    .filter((file) => file.endsWith('.ts') && !file.endsWith(path.join('contract', 'limits.ts')))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const guides = filesIn('web/docs/guides')
    .filter((file) => file.endsWith('.md'))
    .map((file) => readFileSync(file, 'utf8'));
  // `limits.name`, or `const { name } = limits`.
  const taken = [...source.matchAll(/\{([^{}]*)\}\s*=\s*limits\b/g)].map(([, names]) => names).join();
  const text = [source, ...guides].join('\n');
  const isUsed = (name: string) =>
    new RegExp(`\\blimits\\s*\\.\\s*${name}\\b`).test(text) || new RegExp(`\\b${name}\\b`).test(taken);
  expect(Object.keys(limits).filter((name) => !isUsed(name))).toEqual([]);
});

test.each(['en', 'ru'] as const)(
  'every placeholder of the guides and messages names a limit: %s',
  (language) => {
    const folders = language === 'en' ? ['web/docs/guides'] : ['web/docs/guides/ru', 'src/site/docs/ru'];
    const texts = folders.flatMap((folder) => filesIn(folder)).filter((file) => /\.(md|json)$/.test(file));
    const filled = texts.map((file) => withLimits(readFileSync(file, 'utf8'), language));
    expect(filled.join('\n')).not.toMatch(/\{\{(limits|plans|teamLimits)\b/);
    expect(withLimits('{{limits.requestBodyBytes in MiB}} of {{limits.importRows}}', language)).toBe(
      language === 'en' ? '1 of 500,000' : '1 of 500\u00a0000',
    );
    expect(() => withLimits('{{limits.gone}}', language)).toThrow('no such limit: {{limits.gone}}');
  },
);

const content = { text: 'x' };
const to = { external_id: 'a' };
const template = { key: 'a', variants: { en: content } };
const scheduled = { ...to, content, scheduled_at: '2030-01-01T09:00' };
const recurring = { name: 'a', content, audience: {}, cron: '0 9 * * *' };
const step = (id: string) => ({ id, type: 'end' });
const chain = { name: 'a', trigger: { type: 'manual' }, steps: [step('a')] };
const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
const many = <T>(count: number, of: (index: number) => T) => Array.from({ length: count }, (_, i) => of(i));
const event = (more: object) => ({ events: [{ ...to, name: 'visit', ...more }] });
const rules = (count: number) => ({ rules: many(count, () => ({ tag: 'x' })) });
const delay = (minutes: number) => ({ ...chain, steps: [{ id: 'a', type: 'delay', minutes }] });

/** A body with a text so long, a list so long or a number so high, and the most that is accepted. */
const bounds: [string, z.ZodType, (size: number) => unknown, number][] = [
  ['name of a template', newTemplateSchema, (n) => ({ ...template, name: 'x'.repeat(n) }), 100],
  ['key of a template', newTemplateSchema, (n) => ({ ...template, key: 'x'.repeat(n) }), 64],
  ['variables of a template', sendSchema, (n) => ({ ...to, template: 'a', vars: keys(n) }), 50],
  ['a variable', sendSchema, (n) => ({ ...to, template: 'a', vars: { a: 'x'.repeat(n) } }), 1_000],
  ['name of a variable', sendSchema, (n) => ({ ...to, template: 'a', vars: { ['x'.repeat(n)]: 1 } }), 64],
  [
    'messages of a batch',
    newBatchSchema,
    (n) => ({ messages: many(n, () => ({ ...to, text: 'x' })) }),
    1_000,
  ],
  ['ref of a message', newBatchSchema, (n) => ({ messages: [{ ...to, text: 'x', ref: 'x'.repeat(n) }] }), 64],
  ['name of a scheduled message', newScheduledSchema, (n) => ({ ...scheduled, name: 'x'.repeat(n) }), 100],
  ['name of a recurring message', newRecurringSchema, (n) => ({ ...recurring, name: 'x'.repeat(n) }), 100],
  ['events of a request', trackSchema, (n) => ({ events: many(n, () => event({}).events[0]) }), 100],
  ['name of an event', trackSchema, (n) => event({ name: 'x'.repeat(n) }), 64],
  ['properties of an event', trackSchema, (n) => event({ properties: keys(n) }), 50],
  ['a property of an event', trackSchema, (n) => event({ properties: { a: 'x'.repeat(n) } }), 256],
  ['event_id', trackSchema, (n) => event({ event_id: 'x'.repeat(n) }), 128],
  ['properties of an enrolment', newEnrolmentSchema, (n) => ({ ...to, properties: keys(n) }), 50],
  ['a property of a subscriber', subscriberChangesSchema, (n) => ({ properties: { a: 'x'.repeat(n) } }), 256],
  ['key of a property', subscriberChangesSchema, (n) => ({ properties: { ['x'.repeat(n)]: 1 } }), 64],
  ['name of a chain', newChainSchema, (n) => ({ ...chain, name: 'x'.repeat(n) }), 100],
  ['steps of a chain', newChainSchema, (n) => ({ ...chain, steps: many(n, (i) => step(`s${i}`)) }), 50],
  ['id of a step', newChainSchema, (n) => ({ ...chain, steps: [step('x'.repeat(n))] }), 32],
  ['rules', newChainSchema, (n) => ({ ...chain, exit_on: rules(n) }), 10],
  ['minutes of a delay', newChainSchema, delay, 525_600],
];

test.each(bounds)('%s: the limit is accepted, one more is not', (_, schema, body, limit) => {
  expect(schema.safeParse(body(limit)).error?.issues).toBeUndefined();
  expect(schema.safeParse(body(limit + 1)).success).toBe(false);
});

test.each([
  [newTemplateSchema, { ...template, name: '' }],
  [newScheduledSchema, { ...scheduled, name: '' }],
  [newRecurringSchema, { ...recurring, name: '' }],
  [newChainSchema, { ...chain, name: '' }],
  [newChainSchema, delay(0)],
  [trackSchema, event({ event_id: '' })],
])('values below the minimum are refused: %#', (schema, body) => {
  expect(schema.safeParse(body).success).toBe(false);
});

test('a value that a response shows as null is accepted as null', () => {
  const none = { start_at: null, end_at: null, max_runs: null };
  expect(newRecurringSchema.parse({ ...recurring, ...none })).toMatchObject(none);
  expect(newChainSchema.parse({ ...chain, exit_on: null })).toMatchObject({ exit_on: null });
});

test.each([
  ['2026-05-02T12:00:00.000Z', true],
  ['2026-05-02T11:59:59.999Z', false],
  ['2026-06-01T12:05:00.000Z', true],
  ['2026-06-01T12:05:00.001Z', false],
])('the time of an event lies from 30 days ago to 5 minutes ahead: %s', (occurredAt, accepted) => {
  const now = new Date('2026-06-01T12:00:00Z');
  expect(isInRange(new Date(occurredAt), now, { resumed: false })).toBe(accepted);
});
