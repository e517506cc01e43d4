import type { z } from 'zod';
import { exampleId, exampleTime } from '../../base/contract/common';
import { jsonSchema } from '../../base/contract/json-schema';
import { exampleBody, exampleResponse } from '../docs/example';
import type { RouteSpec } from '../../base/http/route';

/** Values for what a reader of the documentation fills in; every other placeholder stands for an id. */
const filled: Record<string, string> = {
  '<code>': 'pY0f3JmVq2sT8xKd5rLw9zNb',
  '<time>': exampleTime,
  '<later>': exampleTime,
  '<bot token>': '123456789:AAExampleTokenOfABot-0123456789abcde',
  '<init_data>': 'query_id=…&user=…&hash=…',
  '<api_key>': 'hk_…',
};

/** The body of an operation's request as an example that its schema accepts. */
export function requestExample(schema: z.ZodType): unknown {
  return withValues(exampleBody(jsonSchema(schema, 'input', 'examples')));
}

export function responseExample(schema: z.ZodType): unknown {
  return withValues(exampleResponse(jsonSchema(schema, 'output', 'examples')));
}

/** The beginning of each picture, in base64 but for SVG. */
const pictures: Record<string, string> = {
  'image/svg+xml': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 41 41">…</svg>',
  'image/png': 'iVBORw0KGgoAAAANSUhEUgAAAgAAAAIA…',
  'image/jpeg': '/9j/4AAQSkZJRgABAQAAAQABAAD…',
  'image/webp': 'UklGRiQAAABXRUJQVlA4IBgAAAAw…',
};

/** A body that is not JSON. */
export function fileExample({ example }: RouteSpec, mediaType: string): string | undefined {
  return example?.(responseExample) ?? pictures[mediaType];
}

function withValues(value: unknown): unknown {
  if (typeof value === 'string') {
    return filled[value] ?? (/^<[a-z_]*id>$/.test(value) ? exampleId : value);
  }
  if (Array.isArray(value)) return value.map(withValues);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withValues(each)]));
}
