import { z } from 'zod';

type Json = Record<string, unknown>;

/**
 * Which fields of `.meta()` are kept besides the descriptions: `names` writes a schema with an id once, below `$defs`;
 * `examples` writes the first example as `example`.
 */
type Kept = 'names' | 'examples' | 'neither';

/** `input`: a request, as it is sent. `output`: a response or an event. */
export type Direction = 'input' | 'output';

class Notes extends z.core.$ZodRegistry<Json> {
  constructor(private readonly kept: Kept) {
    super();
  }

  override get(schema: z.core.$ZodType) {
    const notes = z.globalRegistry.get(schema);
    if (!notes) return undefined;
    const { id, examples, ...others } = notes;
    if (this.kept === 'names' && id !== undefined) return { ...others, id };
    // Not as `examples`, which zod leaves out of the input of a schema that transforms.
    return this.kept === 'examples' && Array.isArray(examples) ? { ...others, example: examples[0] } : others;
  }
}

const notes = { names: new Notes('names'), examples: new Notes('examples'), neither: new Notes('neither') };

/**
 * The JSON Schema of a request, a response or an event. Objects of a request are closed, because the service refuses unknown
 * fields; the others are open, because a later version may add fields, which receivers that validate must accept.
 */
export function jsonSchema(schema: z.ZodType, io: Direction, kept: Kept = 'neither'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    metadata: notes[kept],
    override: ({ jsonSchema: part }) => {
      if (io === 'output' && part.additionalProperties === false) delete part.additionalProperties;
    },
  });
  return rest;
}
