import '../../../src/domains/bots/registry';
import type { z } from 'zod';
import { newBatchSchema } from '../../../src/domains/broadcasts/batch/contract';
import { limits } from '../../../src/base/contract/limits';
import { eventRegistry } from '../../../src/domains/events/contract';
import { verifySchema } from '../../../src/domains/login/contract';
import { verifyOtpSchema } from '../../../src/domains/messages/contract';

const form = eventRegistry['form.submitted'];
const ticket = eventRegistry['ticket.created'];

test.each<[string, number, z.ZodType, (text: string) => unknown]>([
  [
    'ref of a batch',
    limits.batchRefLength,
    newBatchSchema,
    (ref) => ({ messages: [{ external_id: 'a', text: 'x', ref }] }),
  ],
  ['name of a published form', 100, form.schema, (name) => ({ ...form.example, name })],
  ['id of a published form', 128, form.schema, (form_id) => ({ ...form.example, form_id })],
  ['answer', 4_000, form.schema, (answer) => ({ ...form.example, answers: { answer } })],
  ['answer in a list', 4_000, form.schema, (answer) => ({ ...form.example, answers: { list: [answer] } })],
  [
    'external_id of a published event',
    limits.externalIdLength,
    ticket.schema,
    (external_id) => ({ ...ticket.example, external_id }),
  ],
  [
    'subscriber_id of a published event',
    128,
    ticket.schema,
    (subscriber_id) => ({ ...ticket.example, subscriber_id }),
  ],
  ['id of a published ticket', 128, ticket.schema, (ticket_id) => ({ ...ticket.example, ticket_id })],
  ['login code', 512, verifySchema, (code) => ({ code })],
  ['code verifier', 512, verifySchema, (code_verifier) => ({ code: 'x', code_verifier })],
  ['one-time code', 32, verifyOtpSchema, (code) => ({ subscriber_id: 'x', code, purpose: 'login' })],
])('the %s has up to %i UTF-16 code units', (_what, max, schema, given) => {
  const accepts = (text: string) => schema.safeParse(given(text)).success;
  expect(accepts('😀'.repeat(max / 2))).toBe(true);
  expect(accepts('😀'.repeat(max / 2 + 1))).toBe(false);
});
