import { encode } from 'uqr';
import { Binary } from '../../base/http/route';
import { PNG_GREY, pngFile } from '../../base/lib/png';

export type QrFormat = 'svg' | 'png';

/** Width and height of a PNG, in pixels. */
const SIDE = 512;

/** A QR picture of a link. Medium correction: readable from a screen with glare, still coarse enough for old phones. */
export function qrPicture(link: string, format: QrFormat): Binary {
  const { data: squares } = encode(link, { ecc: 'M', border: 2 });
  return format === 'svg'
    ? new Binary('image/svg+xml', svgOf(squares))
    : new Binary('image/png', pngOf(squares));
}

/** Each run of dark squares is a stroke. */
function svgOf(squares: boolean[][]): string {
  const side = squares.length;
  const strokes = squares.flatMap((row, y) =>
    [...row.map(Number).join('').matchAll(/1+/g)].map(
      ({ 0: run, index }) => `M${index} ${y}.5h${run.length}`,
    ),
  );
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<path fill="#ffffff" d="M0 0h${side}v${side}H0z"/><path stroke="#000000" d="${strokes.join('')}"/></svg>\n`
  );
}

/** One bit for each pixel: 1 is light. */
function pngOf(squares: boolean[][]): Buffer {
  const squareAt = (pixel: number) => Math.floor((pixel * squares.length) / SIDE);
  const lines = squares.map((row) => {
    const line = Buffer.alloc(1 + SIDE / 8);
    for (let x = 0; x < SIDE; x += 1) {
      if (!row[squareAt(x)]) line[1 + (x >> 3)]! |= 0x80 >> (x & 7);
    }
    return line;
  });
  return pngFile(
    { width: SIDE, depth: 1, colour: PNG_GREY },
    Array.from({ length: SIDE }, (_, y) => lines[squareAt(y)] as Buffer),
  );
}
