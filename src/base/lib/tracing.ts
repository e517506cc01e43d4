import {
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type SpanKind,
} from '@opentelemetry/api';

/**
 * Tracing, off unless the standard OTEL_* variables name a collector; only then is the SDK loaded. Rows carry the trace
 * context across Temporal, so workflows are not affected.
 */
let stopTracing: (() => Promise<void>) | null = null;

export const isTracing = () => stopTracing !== null;

interface TracingSdk {
  /** Returns a function that stops it. */
  startTracingSdk(): () => Promise<void>;
}

export async function startTracing(
  env: NodeJS.ProcessEnv,
  loadSdk: () => Promise<TracingSdk>,
): Promise<void> {
  if (isTracing() || !isConfigured(env)) return;
  stopTracing = (await loadSdk()).startTracingSdk();
}

/** Flushes pending spans. */
export async function endTracing(): Promise<void> {
  await stopTracing?.();
  stopTracing = null;
}

function isConfigured(env: NodeJS.ProcessEnv): boolean {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none') {
    return false;
  }
  return Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
}

interface SpanDescription {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
  /** The W3C trace context of the parent; null for a root span. */
  parent: string | null;
}

const tracer = () => trace.getTracer('herald');

/** Runs the work in a span; an error marks the span as failed. Without tracing it only runs the work. */
export async function inSpan<T>(
  { name, kind, attributes, parent }: SpanDescription,
  work: () => Promise<T>,
  describe: (result: T) => { name?: string; attributes: Attributes; failed?: boolean } = () => ({
    attributes: {},
  }),
): Promise<T> {
  if (!isTracing()) return work();
  const parentContext = contextOf(parent);
  const span = tracer().startSpan(name, { kind, attributes }, parentContext);
  try {
    const result = await context.with(trace.setSpan(parentContext, span), work);
    const details = describe(result);
    span.setAttributes(details.attributes);
    if (details.name) span.updateName(details.name);
    if (details.failed) span.setStatus({ code: SpanStatusCode.ERROR });
    return result;
  } catch (error) {
    // Messages of foreign errors can contain requests and names, so only the kind is recorded; the log has the rest.
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' });
    throw error;
  } finally {
    span.end();
  }
}

/** Records a span for work that has just ended. */
export function recordSpan(
  { name, kind, attributes, parent }: SpanDescription,
  { durationMs, failed }: { durationMs: number; failed: boolean },
): void {
  if (!isTracing()) return;
  const end = Date.now();
  const span = tracer().startSpan(name, { kind, attributes, startTime: end - durationMs }, contextOf(parent));
  if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(end);
}

/** The current trace context, to store in a row; null without tracing. */
export function currentTraceparent(): string | null {
  const span = isTracing() ? trace.getSpanContext(context.active()) : undefined;
  if (!span || !isSpanContextValid(span)) return null;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

/** The trace id of a stored context, for log lines. */
export function traceIdOf(traceparent: string | null): string | undefined {
  return traceparent?.split('-')[1];
}

/** For log lines. */
export function currentTraceId(): string | undefined {
  return isTracing() ? trace.getSpanContext(context.active())?.traceId : undefined;
}

function contextOf(traceparent: string | null): Context {
  return traceparent === null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent });
}
