import { routeSpecs } from '../../../sdk/generator/routes';
import { auditActionOf } from '../../../src/base/http/audit-action';

const actions = new Map<string, string | null>(
  routeSpecs().map((spec) => [`${spec.method} ${spec.path}`, auditActionOf(spec)]),
);

it.each([
  ['DELETE /v1/broadcast/{job_id}', 'broadcast.cancelled'],
  ['DELETE /v1/send/batch/{batch_id}', 'batch.cancelled'],
  ['DELETE /v1/scheduled/{id}', 'scheduled.cancelled'],
  ['DELETE /v1/recurring/{id}', 'recurring.deleted'],
  ['POST /v1/recurring/{id}/run', 'recurring.started'],
  ['POST /v1/recurring/{id}/skip', 'recurring.skipped'],
  ['DELETE /v1/keys/{id}', 'key.revoked'],
  ['POST /v1/import/subscribers', 'import.created'],
  ['DELETE /v1/import/{id}', 'import.cancelled'],
  ['POST /v1/drip-chains/{drip_id}/enrolments', 'enrolment.created'],
  ['DELETE /v1/drip-chains/{drip_id}/enrolments/{id}', 'enrolment.cancelled'],
  ['POST /v1/deliveries/{id}/cancel', 'delivery.cancelled'],
  ['PUT /v1/templates/{key}', 'template.updated'],
  ['POST /v1/send', null],
])('%s is logged as %s', (route, action) => {
  expect(actions.get(route)).toBe(action);
});
