import { exampleId, exampleTime } from '../../base/contract/common';
import type { Json } from './samples/request';

/** An example that shows every field of a response. */
export function exampleResponse(schema: Json): unknown {
  return exampleOf(schema, { optional: true });
}

/** An example request body with the required fields, if its schema has none of its own. */
export function exampleBody(schema: Json): unknown {
  return exampleOf(schema, { optional: false });
}

/** The example of a schema (`.meta({ examples })`), or one that is made of the examples of its parts. */
function exampleOf(schema: Json, options: { optional: boolean }): unknown {
  if (schema['const'] !== undefined) return schema['const'];
  if (schema['example'] !== undefined) return schema['example'];
  const variants = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
  // A text without an example tells less than null.
  if (options.optional && isOptionalText(schema, variants)) return null;
  if (variants) return exampleOf(variants.find(({ type }) => type !== 'null') ?? {}, options);
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  switch ([schema['type']].flat().find((type) => type !== 'null')) {
    case 'object':
      return exampleObject(schema, options);
    case 'array': {
      const wanted = options.optional || Number(schema['minItems'] ?? 0) > 0;
      return wanted ? [exampleOf((schema['items'] ?? {}) as Json, options)] : [];
    }
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema['minimum'] ?? 1));
    case 'boolean':
      return true;
    default:
      return exampleText(schema);
  }
}

function exampleObject(schema: Json, options: { optional: boolean }): unknown {
  const required = (schema['required'] ?? []) as string[];
  return Object.fromEntries(
    Object.entries((schema['properties'] ?? {}) as Record<string, Json>)
      .filter(([name]) => options.optional || required.includes(name))
      .map(([name, property]) => [name, exampleOf(property, options)]),
  );
}

function exampleText({ format }: Json): string {
  if (format === 'date-time') return exampleTime;
  if (format === 'date') return exampleTime.slice(0, 10);
  return format === 'uuid' ? exampleId : 'text';
}

/** Whether the schema is that of any text, or null. */
function isOptionalText(schema: Json, variants = [schema]): boolean {
  const types = variants.flatMap(({ type }) => type);
  return (
    types.length === 2 &&
    types.includes('string') &&
    types.includes('null') &&
    variants.every(({ enum: values, format }) => values === undefined && format === undefined)
  );
}
