import { z } from 'zod';

type Json = Record<string, unknown>;

/**
 * The JSON Schema of what Herald writes: responses and events. Its objects are open, because a later version may add fields,
 * which receivers that validate must accept.
 */
export function writtenSchema(schema: z.ZodType): Json {
  return z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  }) as Json;
}

/** Requests (`input`) are closed, because the service refuses unknown fields. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } =
    io === 'output'
      ? writtenSchema(schema)
      : (z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json);
  return rest;
}
