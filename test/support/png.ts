import { PNG_RGBA, pngFile } from '../../src/base/lib/png';

/** A PNG picture, pixel by pixel. */
export function png(
  width: number,
  height: number,
  colorAt: (x: number, y: number) => [number, number, number, number],
): Buffer {
  const lines = Array.from({ length: height }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: width }, (_, x) => colorAt(x, y)).flat()]),
  );
  return pngFile({ width, depth: 8, colour: PNG_RGBA }, lines);
}
