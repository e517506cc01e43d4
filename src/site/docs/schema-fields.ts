import { fieldWords, type FieldWords, type Unit } from './field-words';
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
export function fieldLines(schema: Json, words: FieldWords = fieldWords.en, prefix = ''): FieldLine[] {
  const variants = variantsOf(schema);
  if (variants) return variantLines(variants, words, prefix);
  if (schema['type'] === 'array') return fieldLines(schema['items'] as Json, words, `${prefix}[]`);
  const properties = (schema['properties'] ?? {}) as Record<string, Json>;
  const required = (schema['required'] ?? []) as string[];
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return [
      {
        name: path,
        type: typeOf(property, words),
        required: required.includes(name),
        description: describe(property, words),
        values: valuesOf(property),
      },
      ...fieldLines(property, words, path),
    ];
  });
}

function variantsOf(schema: Json): Json[] | undefined {
  return (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
}

function variantLines(variants: Json[], words: FieldWords, prefix: string): FieldLine[] {
  const objects = variants.filter(({ type }) => type === 'object' || type === 'array');
  if (objects.length <= 1) return objects.flatMap((object) => fieldLines(object, words, prefix));
  return objects.flatMap((object) => [
    { name: words.if(...distinction(object)), type: '', required: false, description: '', values: [] },
    ...fieldLines(object, words, prefix),
  ]);
}

/** What distinguishes a variant: its first field with fixed values. */
function distinction(object: Json): [field: string, values: string[]] {
  const properties = Object.entries((object['properties'] ?? {}) as Record<string, Json>);
  const [name, property] = properties.find(([, { enum: values, const: value }]) => values ?? value) ?? [
    '',
    {},
  ];
  return [name, (property['enum'] as string[] | undefined) ?? [property['const'] as string]];
}

function typeOf(schema: Json, words: FieldWords): string {
  const variants = variantsOf(schema);
  if (variants) return [...new Set(variants.map((variant) => typeOf(variant, words)))].join(words.or);
  if (schema['const'] !== undefined) return typeof schema['const'];
  if (Array.isArray(schema['enum'])) return typeof schema['enum'][0];
  if (schema['type'] === 'array') return words.listOf(typeOf(schema['items'] as Json, words));
  if (schema['format'] === 'date-time') return words.time;
  if (schema['format'] === 'uuid') return 'UUID';
  return [schema['type'] ?? words.any].flat().join(words.or);
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

function describe(schema: Json, words: FieldWords): string {
  // The text and the bounds of a nullable field can be in one of its variants.
  const set = variantsOf(schema)?.filter((variant) => variant['type'] !== 'null');
  const text = schema['description'] ?? set?.find(({ description }) => description)?.['description'];
  const bounded = set?.find((variant) => variant['type'] !== 'object') ?? schema;
  const { type, pattern, format } = bounded;
  const shown = schema['default'];
  const parts = [
    typeof text === 'string' ? words.description(text) : '',
    bound(bounded, 'minLength', 'maxLength', 'character', words),
    bound(bounded, 'minItems', 'maxItems', 'item', words),
    type === 'integer' || type === 'number' ? bound(bounded, 'minimum', 'maximum', '', words) : '',
    typeof pattern === 'string' && format === undefined && pattern.length <= LONGEST_PATTERN
      ? `${words.pattern}: \`${pattern}\`.`
      : '',
    shown === undefined || (Array.isArray(shown) && shown.length === 0)
      ? ''
      : `${words.default}: \`${JSON.stringify(shown)}\`.`,
  ];
  return parts.filter(Boolean).join(' ');
}

/** zod's JSON Schema has the bounds of safe integers where a schema sets none. */
function bound(schema: Json, minKey: string, maxKey: string, unit: Unit, words: FieldWords): string {
  const isSet = (value: unknown): value is number =>
    typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const [low, high] = [schema[minKey], schema[maxKey]];
  if (isSet(low) && isSet(high)) {
    return low === high ? words.exactly(low, unit) : words.between(low, high, unit);
  }
  if (isSet(high)) return words.atMost(high, unit);
  return isSet(low) && low !== 0 ? words.atLeast(low, unit) : '';
}
