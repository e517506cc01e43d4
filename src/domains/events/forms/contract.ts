import { z } from 'zod';
import { characters } from '../../../base/contract/characters';
import { exampleChannel, givenTimeSchema, nullableWhoFields } from '../../../base/contract/common';

const idSchema = z.string().min(1).check(characters(128));
const answerTextSchema = z.string().check(characters(4_000));
const answerSchema = z.union([
  answerTextSchema,
  z.number(),
  z.boolean(),
  z.array(answerTextSchema).max(20),
  z.null(),
]);

/** `data` of form.submitted. A submission from a site has no subscriber. */
export const formSubmittedSchema = z.strictObject({
  form_id: idSchema,
  name: z.string().min(1).check(characters(100)),
  submission_id: idSchema,
  ...nullableWhoFields,
  answers: z.record(z.string().regex(/^[a-z0-9_]{1,64}$/), answerSchema),
  source: z.enum(['web', 'hosted', 'bot']),
  occurred_at: givenTimeSchema,
});

export const formSubmittedExample: z.infer<typeof formSubmittedSchema> = {
  form_id: 'b1a7c0de-52b4-4d0e-9c57-3d9a1e6f7c21',
  name: 'Order a T-shirt',
  submission_id: '8c5c1f5a-6c1f-4c36-9f6b-0d8f2b7f9a11',
  subscriber_id: '4f0c6a6e-2f0b-4c1d-9a4e-8a4d5f8f6f01',
  channel: exampleChannel,
  external_id: 'user-42',
  answers: { size: 'M' },
  source: 'hosted',
  occurred_at: '2026-01-15T10:30:00.000+00:00',
};
