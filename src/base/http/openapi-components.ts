import type { z } from 'zod';
import { jsonSchema, type Direction } from '../contract/json-schema';

type Json = Record<string, unknown>;

export interface Components {
  /** The JSON Schema, with a reference in place of each schema that has an id. */
  schema(schema: z.ZodType, io: Direction): Json;
  /** The schemas with an id that have been referenced. */
  schemas: Record<string, Json>;
  /** The document with the final names: a schema of both requests and responses is `<id>Input` in requests. */
  named(document: Json): Json;
}

const PLACE = '#/components/schemas/';

export function createComponents(): Components {
  const schemas: Record<string, Json> = {};
  return {
    schemas,
    schema(schema, io) {
      const { $defs = {}, ...root } = jsonSchema(schema, io, 'names');
      const provisional = (ref: string) =>
        ref.replace(/^#\/\$defs\//, io === 'input' ? `${PLACE}input:` : PLACE);
      for (const [id, definition] of Object.entries($defs as Record<string, Json>)) {
        const name = provisional(`#/$defs/${id}`).slice(PLACE.length);
        const written = withReferences(definition, provisional) as Json;
        if (schemas[name] && JSON.stringify(schemas[name]) !== JSON.stringify(written)) {
          throw new Error(`two schemas have the id ${id}`);
        }
        schemas[name] = written;
      }
      return withReferences(root, provisional) as Json;
    },
    named(document) {
      const nameOf = (name: string) => {
        const [, id] = /^input:(.*)$/.exec(name) ?? [];
        if (id === undefined) return name;
        return id in schemas ? `${id}Input` : id;
      };
      const named = withReferences(document, (ref) => PLACE + nameOf(ref.slice(PLACE.length))) as {
        components: { schemas: Record<string, Json> };
      };
      const final = Object.entries(named.components.schemas).map(([name, schema]) => [nameOf(name), schema]);
      return { ...named, components: { ...named.components, schemas: Object.fromEntries(final) as Json } };
    },
  };
}

function withReferences(value: unknown, change: (ref: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => withReferences(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === '$ref' && typeof each === 'string' ? change(each) : withReferences(each, change),
    ]),
  );
}
