/** A stretch of formatting; offset and length count UTF-16 units, as both platforms do. */
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

/** Markup that the platform would refuse. */
export class MarkupError extends Error {}

export function byteOffset(source: string, index: number): number {
  return Buffer.byteLength(source.slice(0, index));
}
