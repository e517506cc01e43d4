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
 * Traces, off unless the standard variables of OpenTelemetry name a collector. The SDK is loaded only then, and
 * nothing about Temporal changes: a trace crosses it in the row that both sides read.
 */
let stopTracing: (() => Promise<void>) | null = null;

export const isTracing = () => stopTracing !== null;

export interface TracingSdk {
  /** Answers how to stop it. */
  startTracingSdk(): () => Promise<void>;
}

export async function startTracing(
  env: NodeJS.ProcessEnv,
  loadSdk: () => Promise<TracingSdk>,
): Promise<void> {
  if (isTracing() || !isAskedFor(env)) return;
  stopTracing = (await loadSdk()).startTracingSdk();
}

/** Sends what is still waiting. */
export async function endTracing(): Promise<void> {
  await stopTracing?.();
  stopTracing = null;
}

function isAskedFor(env: NodeJS.ProcessEnv): boolean {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none') {
    return false;
  }
  return Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
}

export interface SpanDescription {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
  /** W3C trace context of what caused it; the span is a root without one. */
  parent: string | null;
}

const tracer = () => trace.getTracer('herald');

/** Runs the work in a span of its own; what it throws marks the span. Without tracing it just runs. */
export async function inSpan<T>(
  { name, kind, attributes, parent }: SpanDescription,
  work: () => Promise<T>,
  about: (result: T) => { name?: string; attributes: Attributes; failed?: boolean } = () => ({
    attributes: {},
  }),
): Promise<T> {
  if (!isTracing()) return work();
  const above = contextOf(parent);
  const span = tracer().startSpan(name, { kind, attributes }, above);
  try {
    const result = await context.with(trace.setSpan(above, span), work);
    const told = about(result);
    span.setAttributes(told.attributes);
    if (told.name) span.updateName(told.name);
    if (told.failed) span.setStatus({ code: SpanStatusCode.ERROR });
    return result;
  } catch (error) {
    // Messages of foreign errors can carry requests and names; the kind is enough here, the log has the rest.
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' });
    throw error;
  } finally {
    span.end();
  }
}

/** A span for something that has just ended. */
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

/** The trace context of what runs now, for a row; null without tracing. */
export function currentTraceparent(): string | null {
  const span = isTracing() ? trace.getSpanContext(context.active()) : undefined;
  if (!span || !isSpanContextValid(span)) return null;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

/** The trace of a row's context, for log lines. */
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
