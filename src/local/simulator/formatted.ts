/** A formatted range; offset and length count UTF-16 code units, as on both platforms. */
export interface Entity {
  type: string;
  offset: number;
  length: number;
  url?: string;
}

export interface Formatted {
  text: string;
  entities: Entity[];
}

/** Markup that the platform would reject. */
export class MarkupError extends Error {}

export function byteOffset(source: string, index: number): number {
  return Buffer.byteLength(source.slice(0, index));
}
