import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * Metrics of the process. Prometheus sees one set of metrics per process, so this module holds global state. Label values
 * come from short fixed lists, never ids, names or URLs.
 */
export const registry = new Registry();

const registers = [registry];
const requestSeconds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** An attempt times out after ten seconds. */
const attemptSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 7.5, 10];

export const metrics = {
  requests: new Counter({
    name: 'herald_http_requests_total',
    help: 'Requests by route, method and status class. Pages and unknown paths have the route "none".',
    labelNames: ['route', 'method', 'status'],
    registers,
  }),
  requestSeconds: new Histogram({
    name: 'herald_http_request_duration_seconds',
    help: 'Time from receiving a request to sending its response. Includes the wait of long polls.',
    labelNames: ['route', 'method'],
    buckets: requestSeconds,
    registers,
  }),
  requestErrors: new Counter({
    name: 'herald_http_errors_total',
    help: 'Error responses by error code. Codes that start with rate_limit, and slow_down, are limits.',
    labelNames: ['code'],
    registers,
  }),
  relayed: new Counter({
    name: 'herald_relay_items_total',
    help: 'Items that a relay has started (outcome started) or will retry (outcome failed).',
    labelNames: ['relay', 'outcome'],
    registers,
  }),
  relayInFlight: new Gauge({
    name: 'herald_relay_in_flight',
    help: 'Items in flight in the relays of this process.',
    labelNames: ['relay'],
    registers,
  }),
  attempts: new Counter({
    name: 'herald_webhook_attempts_total',
    help: 'Webhook attempts by their effect on the delivery, and by status class or kind of failure.',
    labelNames: ['verdict', 'result'],
    registers,
  }),
  attemptSeconds: new Histogram({
    name: 'herald_webhook_attempt_duration_seconds',
    help: 'Duration of an attempt, from the DNS lookup to the end of the response.',
    buckets: attemptSeconds,
    registers,
  }),
  deliveriesEnded: new Counter({
    name: 'herald_deliveries_ended_total',
    help: 'Deliveries ended by an attempt.',
    labelNames: ['status'],
    registers,
  }),
  endpointsDisabled: new Counter({
    name: 'herald_webhook_endpoints_disabled_total',
    help: 'Endpoints disabled by Herald: gone, or failing for too long.',
    registers,
  }),
  botUpdates: new Counter({
    name: 'herald_bot_updates_total',
    help: 'Messenger updates: received, handled, failed (and retried), set_aside.',
    labelNames: ['channel', 'outcome'],
    registers,
  }),
  platformCalls: new Counter({
    name: 'herald_platform_calls_total',
    help: 'Calls to the messengers by result: ok, or the reason of the failure.',
    labelNames: ['channel', 'call', 'result'],
    registers,
  }),
  platformCallSeconds: new Histogram({
    name: 'herald_platform_call_duration_seconds',
    help: 'Duration of calls to the messengers, without long polls.',
    labelNames: ['channel', 'call'],
    buckets: requestSeconds,
    registers,
  }),
  logins: new Counter({
    name: 'herald_login_sessions_total',
    help: 'Sessions by outcome.',
    labelNames: ['outcome'],
    registers,
  }),
};

/** 204 → "2xx". */
export function statusClass(status: number): string {
  return `${Math.floor(status / 100)}xx`;
}
