import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { route } from '../../base/http/route';
import { sendResponseSchema, sendSchema } from './contract';
import { sendMessages } from './send';

type SendRouteDeps = Pick<Core, 'pool' | 'config' | 'messengers' | 'turns' | 'log'>;

export function createSendRoutes(deps: SendRouteDeps) {
  return [
    route(
      {
        method: 'POST',
        path: '/v1/send',
        summary: 'Send a message',
        description: `To one subscriber by subscriber_id, or to every subscriber with an external_id. A message that the messenger rejects is a result, not an error: see \`details\`. A message waits for its turn for up to ${limits.sendWaitSeconds} seconds (a chat gets one message per second); then it is \`failed\` with the reason \`rate_limited\`. With an Idempotency-Key, repeated requests return the first response for ${limits.idempotencyHours} hours.`,
        tag: 'Messages',
        scope: 'send',
        idempotent: {},
        body: sendSchema,
        response: sendResponseSchema,
        errors: [
          'subscriber_not_found',
          'not_found',
          'template_variable_missing',
          'mutually_exclusive_identifiers',
          'invalid_external_id',
          'invalid_url',
          'billing_blocked',
          'platform_busy',
        ],
      },
      ({ project, body, work }) => sendMessages(deps, project.id, body, work.id),
    ),
  ];
}
