import { isoTime, isoTimeOrNull } from '../lib/iso-time';
import type { AttemptView, DeliveryView } from './contract';
import type { AttemptRow } from './queries/attempts';
import type { DeliveryRow } from './queries/deliveries';

/** A delivery as the API and the command line show it. */
export function presentDelivery(delivery: DeliveryRow): DeliveryView {
  return {
    id: delivery.id,
    endpoint_id: delivery.endpoint_id,
    event_id: delivery.event_id,
    event: delivery.event_name,
    status: delivery.status,
    attempt_count: delivery.attempts,
    last_http_status: delivery.last_http_status,
    last_error: delivery.last_error,
    created_at: isoTime(delivery.created_at),
    first_attempt_at: isoTimeOrNull(delivery.first_attempt_at),
    // A paused delivery waits for its endpoint, not for a time.
    next_attempt_at: delivery.status === 'pending' ? isoTimeOrNull(delivery.next_attempt_at) : null,
    ended_at: isoTimeOrNull(delivery.ended_at),
  };
}

export function presentAttempt(attempt: AttemptRow): AttemptView {
  return {
    number: attempt.number,
    attempted_at: isoTime(attempt.claimed_at),
    duration_ms: attempt.duration_ms,
    status: attempt.http_status,
    error: attempt.error,
    error_detail: attempt.error_detail,
    response_body: attempt.response_body,
    response_headers: attempt.response_headers ?? {},
    next_attempt_at: isoTimeOrNull(attempt.next_attempt_at),
  };
}
