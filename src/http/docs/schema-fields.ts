type Json = Record<string, unknown>;

/** One row of a table of fields. A row without a type is the heading of a variant. */
export interface FieldLine {
  name: string;
  type: string;
  required: boolean;
  description: string;
}

/** The fields of a JSON Schema; nested fields by their path: `buttons[][].text`. */
export function fieldLines(schema: Json, prefix = ''): FieldLine[] {
  const variants = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
  if (variants) return variantLines(variants, prefix);
  if (schema['type'] === 'array') return fieldLines(schema['items'] as Json, `${prefix}[]`);
  const properties = (schema['properties'] ?? {}) as Record<string, Json>;
  const required = (schema['required'] ?? []) as string[];
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return [
      {
        name: path,
        type: typeOf(property),
        required: required.includes(name),
        description: describe(property),
      },
      ...fieldLines(property, path),
    ];
  });
}

function variantLines(variants: Json[], prefix: string): FieldLine[] {
  const objects = variants.filter(({ type }) => type === 'object' || type === 'array');
  if (objects.length <= 1) return objects.flatMap((object) => fieldLines(object, prefix));
  return objects.flatMap((object) => [
    { name: `If ${distinction(object)}:`, type: '', required: false, description: '' },
    ...fieldLines(object, prefix),
  ]);
}

/** What distinguishes a variant: its first field with fixed values. */
function distinction(object: Json): string {
  const properties = Object.entries((object['properties'] ?? {}) as Record<string, Json>);
  const [name, property] = properties.find(([, { enum: values, const: value }]) => values ?? value) ?? [
    '',
    {},
  ];
  const values = (property['enum'] as string[] | undefined) ?? [property['const'] as string];
  return `${name} is ${values.join(' or ')}`;
}

function typeOf(schema: Json): string {
  const variants = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
  if (variants) return [...new Set(variants.map(typeOf))].join(' or ');
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' or ');
  if (schema['type'] === 'array') return `list of ${typeOf(schema['items'] as Json)}`;
  if (schema['format'] === 'date-time') return 'time';
  if (schema['format'] === 'uuid') return 'id';
  return [schema['type'] ?? 'any'].flat().join(' or ');
}

function describe(schema: Json): string {
  const bounds = [
    bound(schema, 'minLength', 'maxLength', 'characters'),
    bound(schema, 'minItems', 'maxItems', 'items'),
    schema['type'] === 'integer' || schema['type'] === 'number'
      ? bound(schema, 'minimum', 'maximum', '')
      : '',
    schema['default'] === undefined || isEmptyList(schema['default'])
      ? ''
      : `Default: ${JSON.stringify(schema['default'])}.`,
  ];
  return [schema['description'], ...bounds].filter(Boolean).join(' ');
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** zod's JSON Schema has the bounds of safe integers where a schema sets none. */
function bound(schema: Json, minKey: string, maxKey: string, unit: string): string {
  const isSet = (value: unknown) => typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const [low, high] = [schema[minKey], schema[maxKey]];
  if (isSet(low) && isSet(high)) return `${String(low)} to ${String(high)} ${unit}`.trim() + '.';
  if (isSet(high)) return `At most ${String(high)} ${unit}`.trim() + '.';
  return isSet(low) && low !== 0 ? `At least ${String(low)} ${unit}`.trim() + '.' : '';
}

/** An example request body with the required fields. */
export function exampleBody(schema: Json): unknown {
  const properties = (schema['properties'] ?? {}) as Record<string, Json>;
  const required = (schema['required'] ?? []) as string[];
  return Object.fromEntries(required.map((name) => [name, exampleValue(properties[name] ?? {}, name)]));
}

function exampleValue(schema: Json, name: string): unknown {
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  if (schema['type'] === 'array') return [];
  if (schema['type'] === 'integer' || schema['type'] === 'number') return schema['minimum'] ?? 1;
  if (schema['type'] === 'boolean') return true;
  if (schema['format'] === 'date-time') return '2026-01-15T10:30:00+00:00';
  return name === 'url' ? 'https://example.com/webhooks' : `<${name}>`;
}
