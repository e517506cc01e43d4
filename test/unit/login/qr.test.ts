import { inflateSync } from 'node:zlib';
import { encode } from 'uqr';
import { qrPicture } from '../../../src/domains/login/qr';

const LINK = 'https://t.me/herald_bot?start=s_Zm9yIGEgdGVzdCBvZiBRUiBwaWN0dXJlcw';
const squares = encode(LINK, { ecc: 'M', border: 2 }).data;
const indexes = squares.map((_, index) => index);

describe('the QR picture of a link', () => {
  it('as SVG has a stroke over each run of dark squares', () => {
    const { type, data } = qrPicture(LINK, 'svg');
    expect(type).toBe('image/svg+xml');
    expect(data).toContain(`viewBox="0 0 ${squares.length} ${squares.length}"`);
    const drawn = squares.map((row) => row.map(() => false));
    for (const [, x, y, run] of String(data).matchAll(/M(\d+) (\d+)\.5h(\d+)/g)) {
      drawn[Number(y)]?.fill(true, Number(x), Number(x) + Number(run));
    }
    expect(drawn).toEqual(squares);
  });

  it('as PNG has 512 pixels a side, one bit each', () => {
    const { type, data } = qrPicture(LINK, 'png');
    const file = data as Buffer;
    expect(type).toBe('image/png');
    const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
    expect([width, height, file[24], file[25]]).toEqual([512, 512, 1, 0]);
    const lines = inflateSync(file.subarray(41, 41 + file.readUInt32BE(33)));
    const lineBytes = 1 + width / 8;
    expect(lines).toHaveLength(height * lineBytes);
    const isDark = (x: number, y: number) =>
      ((lines[y * lineBytes + 1 + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) === 0;
    const middleOf = (square: number) => Math.floor(((square + 0.5) * width) / squares.length);
    const drawn = indexes.map((y) => indexes.map((x) => isDark(middleOf(x), middleOf(y))));
    expect(drawn).toEqual(squares);
  });
});
