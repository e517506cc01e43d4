import { z } from 'zod';
import { characters } from '../../../base/contract/characters';
import { idSchema, pageQuery, timestampSchema } from '../../../base/contract/common';
import { checkContent, normalContent } from '../../../base/contract/content';
import { limits } from '../../../base/contract/limits';
import { sendFields, sendReasons } from '../../messages/contract';
import { checkRecipient } from '../../subscribers/contract';
import { recipientResultFields } from '../contract';

const batchMessageSchema = z
  .strictObject({
    ...sendFields,
    ref: z
      .string()
      .check(characters(limits.batchRefLength))
      .optional()
      .describe('Your own name for the message.'),
  })
  .superRefine(checkContent)
  .superRefine(checkRecipient)
  .transform(normalContent);
export type BatchMessage = z.output<typeof batchMessageSchema>;

export const newBatchSchema = z
  .strictObject({
    messages: z
      .array(batchMessageSchema)
      .min(1)
      .max(limits.batchMessages)
      .describe('Each is a body of /v1/send.'),
  })
  .meta({
    examples: [
      {
        messages: [
          { external_id: 'user-42', text: 'Order 1001 is on its way.', ref: 'order-1001' },
          { external_id: 'user-43', text: 'Your refund is on its way.', ref: 'refund-77' },
        ],
      },
    ],
  });

export const batchStatuses = ['queued', 'running', 'cancelled', 'completed'] as const;

export const startedBatchSchema = z.strictObject({
  batch_id: idSchema,
  status: z.literal('queued'),
  total: z.number().int().describe('Results: an external_id counts once for each of its subscribers.'),
});

export const batchSchema = z
  .strictObject({
    batch_id: idSchema,
    status: z.enum(batchStatuses).meta({ examples: ['completed'] }),
    total: z
      .number()
      .int()
      .meta({ examples: [10] }),
    sent: z
      .number()
      .int()
      .meta({ examples: [8] }),
    failed: z.number().int(),
    skipped: z
      .number()
      .int()
      .describe('Unsubscribed, without the permission, or not reached before a cancellation.'),
    created_at: timestampSchema,
    ended_at: timestampSchema.nullable().meta({ examples: ['2026-01-15T10:30:02.000+00:00'] }),
  })
  .meta({ id: 'Batch' });
export type BatchView = z.infer<typeof batchSchema>;

export const resultReasons = [...sendReasons, 'subscriber_not_found', 'cancelled'] as const;
export type ResultReason = (typeof resultReasons)[number];

export const batchResultSchema = z
  .strictObject({
    index: z.number().int().describe('The place of the message in the request, from 0.'),
    ref: z.string().nullable(),
    ...recipientResultFields,
    reason: z
      .enum(resultReasons)
      .nullable()
      .meta({ examples: [null] }),
  })
  .meta({ id: 'BatchResult' });
export type BatchResult = z.infer<typeof batchResultSchema>;

export const batchParams = z.strictObject({ batch_id: idSchema });
export const batchListQuery = z.strictObject({ ...pageQuery });
export const batchResultsQuery = z.strictObject({
  status: recipientResultFields.status.optional(),
  ...pageQuery,
});
