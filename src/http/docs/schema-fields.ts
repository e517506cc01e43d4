import type { Json } from './samples/request';

/** One row of a table of fields. A row without a type is the heading of a variant. */
export interface FieldLine {
  name: string;
  type: string;
  required: boolean;
  description: string;
  /** The allowed values, where the field has a fixed list. */
  values: string[];
}

/** The fields of a JSON Schema; nested fields by their path: `buttons[][].text`. */
export function fieldLines(schema: Json, prefix = ''): FieldLine[] {
  const variants = variantsOf(schema);
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
        values: valuesOf(property),
      },
      ...fieldLines(property, path),
    ];
  });
}

function variantsOf(schema: Json): Json[] | undefined {
  return (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
}

function variantLines(variants: Json[], prefix: string): FieldLine[] {
  const objects = variants.filter(({ type }) => type === 'object' || type === 'array');
  if (objects.length <= 1) return objects.flatMap((object) => fieldLines(object, prefix));
  return objects.flatMap((object) => [
    { name: `If ${distinction(object)}:`, type: '', required: false, description: '', values: [] },
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
  const variants = variantsOf(schema);
  if (variants) return [...new Set(variants.map(typeOf))].join(' or ');
  if (schema['const'] !== undefined) return typeof schema['const'];
  if (Array.isArray(schema['enum'])) return typeof schema['enum'][0];
  if (schema['type'] === 'array') return `list of ${typeOf(schema['items'] as Json)}`;
  if (schema['format'] === 'date-time') return 'time';
  if (schema['format'] === 'uuid') return 'UUID';
  return [schema['type'] ?? 'any'].flat().join(' or ');
}

/** The fixed values of a field, of a list's entries or of a nullable field. */
function valuesOf(schema: Json): string[] {
  const variants = variantsOf(schema);
  if (variants) return [...new Set(variants.flatMap(valuesOf))];
  if (schema['const'] !== undefined) return [String(schema['const'])];
  if (Array.isArray(schema['enum'])) return schema['enum'].map(String);
  return schema['type'] === 'array' ? valuesOf(schema['items'] as Json) : [];
}

const LONGEST_PATTERN = 60;

function describe(schema: Json): string {
  // The bounds of a nullable field are in one of its variants.
  const bounded = variantsOf(schema)?.find(({ type }) => type !== 'null' && type !== 'object') ?? schema;
  const { type, pattern, format } = bounded;
  const shown = schema['default'];
  const parts = [
    schema['description'],
    bound(bounded, 'minLength', 'maxLength', 'character'),
    bound(bounded, 'minItems', 'maxItems', 'item'),
    type === 'integer' || type === 'number' ? bound(bounded, 'minimum', 'maximum', '') : '',
    typeof pattern === 'string' && format === undefined && pattern.length <= LONGEST_PATTERN
      ? `Pattern: \`${pattern}\`.`
      : '',
    shown === undefined || (Array.isArray(shown) && shown.length === 0)
      ? ''
      : `Default: \`${JSON.stringify(shown)}\`.`,
  ];
  return parts.filter(Boolean).join(' ');
}

/** zod's JSON Schema has the bounds of safe integers where a schema sets none. */
function bound(schema: Json, minKey: string, maxKey: string, unit: string): string {
  const isSet = (value: unknown): value is number =>
    typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const [low, high] = [schema[minKey], schema[maxKey]];
  const amount = (text: string, number: number) => `${text}${unit && ` ${unit}${number === 1 ? '' : 's'}`}.`;
  if (isSet(low) && isSet(high)) return amount(low === high ? `${low}` : `${low} to ${high}`, high);
  if (isSet(high)) return amount(`At most ${high}`, high);
  return isSet(low) && low !== 0 ? amount(`At least ${low}`, low) : '';
}
