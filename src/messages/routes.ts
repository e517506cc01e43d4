import { randomUUID } from 'node:crypto';
import { idempotencyHeaders } from '../contract/idempotency';
import { limits } from '../contract/limits';
import type { Core } from '../core';
import { runOnce } from '../http/idempotency';
import { route } from '../http/route';
import { sendResponseSchema, sendSchema } from './contract';
import { sendMessages } from './send';

export type SendRouteDeps = Pick<Core, 'pool' | 'config' | 'messengers' | 'log'>;

export function createSendRoutes(deps: SendRouteDeps) {
  return [
    route(
      {
        method: 'POST',
        path: '/v1/send',
        summary: 'Send a message',
        description: `To one subscriber by subscriber_id, or to every subscriber with an external_id. A message that the messenger rejects is a result, not an error: see \`details\`. With an Idempotency-Key, repeated requests return the first response for ${limits.idempotencyHours} hours.`,
        tag: 'Messages',
        auth: 'key',
        scope: 'send',
        headers: idempotencyHeaders,
        body: sendSchema,
        status: 200,
        response: sendResponseSchema,
        errors: [
          'subscriber_not_found',
          'mutually_exclusive_identifiers',
          'invalid_external_id',
          'invalid_url',
          'billing_blocked',
          'idempotency_conflict',
          'request_in_progress',
          'platform_busy',
        ],
      },
      async ({ project, headers, body, ctx }) => {
        const key = headers['idempotency-key'];
        const run = (requestId: string) => sendMessages(deps, project.id, body, requestId);
        if (key === undefined) return run(randomUUID());
        const { response, replayed } = await runOnce(deps, { projectId: project.id, key }, body, run);
        if (replayed) ctx.set('Idempotent-Replayed', 'true');
        return response;
      },
    ),
  ];
}
