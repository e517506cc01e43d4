import { isoTime, isoTimeOrNull } from '../../base/lib/iso-time';
import { workflowIds } from '../../base/temporal/names';
import type { AttemptView, DeliveryView, EndedReason } from './contract';
import type { AttemptRow } from './queries/attempts';
import type { DeliveryRow } from './queries/deliveries';

/** A delivery as the API and the command line show it. */
export function presentDelivery(delivery: DeliveryRow): DeliveryView {
  return {
    id: delivery.id,
    endpoint_id: delivery.endpoint_id,
    endpoint_url: delivery.endpoint_url,
    event_id: delivery.event_id,
    event: delivery.event_name,
    status: delivery.status,
    test: delivery.test,
    lane: delivery.lane,
    workflow_id: delivery.started ? workflowIds.delivery(delivery.id) : null,
    attempt_count: delivery.attempts,
    last_http_status: delivery.last_http_status,
    last_error: delivery.last_error,
    created_at: isoTime(delivery.created_at),
    first_attempt_at: isoTimeOrNull(delivery.first_attempt_at),
    // A paused delivery waits for its endpoint, not for a time.
    next_attempt_at: delivery.status === 'pending' ? isoTimeOrNull(delivery.next_attempt_at) : null,
    ended_at: isoTimeOrNull(delivery.ended_at),
    ended_reason: endedReason(delivery),
  };
}

function endedReason({ status, failure, cancel_reason }: DeliveryRow): EndedReason | null {
  switch (status) {
    case 'succeeded':
      return 'delivered';
    case 'failed':
      return failure === 'refused' ? 'refused_by_receiver' : 'schedule_used_up';
    case 'cancelled':
      return cancel_reason ?? 'cancelled';
    case 'pending':
    case 'paused':
      return null;
  }
}

export function presentAttempt(attempt: AttemptRow): AttemptView {
  return {
    number: attempt.number,
    attempted_at: isoTime(attempt.claimed_at),
    duration_ms: attempt.duration_ms,
    status: attempt.http_status,
    error: attempt.error,
    error_detail: attempt.error_detail,
    request_headers: attempt.request_headers,
    response_body: attempt.response_body,
    response_headers: attempt.response_headers ?? {},
    next_attempt_at: isoTimeOrNull(attempt.next_attempt_at),
  };
}
