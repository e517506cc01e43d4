import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * What the process counts about itself. A process has one set of counters, as Prometheus sees it, so this is the one
 * place with state of its own. Labels are words of ours from short lists, never ids, names or addresses.
 */
export const registry = new Registry();

const registers = [registry];
const requestSeconds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** An attempt has ten seconds. */
const attemptSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 7.5, 10];

export const metrics = {
  requests: new Counter({
    name: 'herald_http_requests_total',
    help: 'Requests by route, method and class of status. Pages and unknown paths have the route "none".',
    labelNames: ['route', 'method', 'status'],
    registers,
  }),
  requestSeconds: new Histogram({
    name: 'herald_http_request_duration_seconds',
    help: 'Time from the head of a request to its answer. A long poll counts with its wait.',
    labelNames: ['route', 'method'],
    buckets: requestSeconds,
    registers,
  }),
  requestErrors: new Counter({
    name: 'herald_http_errors_total',
    help: 'Answers with an error, by its code. The codes that begin with rate_limit, and slow_down, are limits.',
    labelNames: ['code'],
    registers,
  }),
  relayed: new Counter({
    name: 'herald_relay_items_total',
    help: 'What a relay has carried on (outcome started) or will try again (outcome failed).',
    labelNames: ['relay', 'outcome'],
    registers,
  }),
  relayInFlight: new Gauge({
    name: 'herald_relay_in_flight',
    help: 'What a relay of this process is carrying now.',
    labelNames: ['relay'],
    registers,
  }),
  attempts: new Counter({
    name: 'herald_webhook_attempts_total',
    help: 'Attempts by what they mean for their delivery, and by class of status or kind of failure.',
    labelNames: ['verdict', 'result'],
    registers,
  }),
  attemptSeconds: new Histogram({
    name: 'herald_webhook_attempt_duration_seconds',
    help: 'Time of an attempt, from the lookup of the name to the end of the answer.',
    buckets: attemptSeconds,
    registers,
  }),
  deliveriesEnded: new Counter({
    name: 'herald_deliveries_ended_total',
    help: 'Deliveries that an attempt has ended.',
    labelNames: ['status'],
    registers,
  }),
  endpointsDisabled: new Counter({
    name: 'herald_webhook_endpoints_disabled_total',
    help: 'Endpoints that the service has disabled: gone, or failing for too long.',
    registers,
  }),
  botUpdates: new Counter({
    name: 'herald_bot_updates_total',
    help: 'Updates of the messengers: received, handled, failed (and tried again), set_aside.',
    labelNames: ['channel', 'outcome'],
    registers,
  }),
  platformCalls: new Counter({
    name: 'herald_platform_calls_total',
    help: 'Calls to the messengers by their result: ok, or the reason of the failure.',
    labelNames: ['channel', 'call', 'result'],
    registers,
  }),
  platformCallSeconds: new Histogram({
    name: 'herald_platform_call_duration_seconds',
    help: 'Time of calls to the messengers, without the long polls.',
    labelNames: ['channel', 'call'],
    buckets: requestSeconds,
    registers,
  }),
  logins: new Counter({
    name: 'herald_login_sessions_total',
    help: 'Login sessions by how they were decided.',
    labelNames: ['outcome'],
    registers,
  }),
};

/** 204 → "2xx". */
export function statusClass(status: number): string {
  return `${Math.floor(status / 100)}xx`;
}
