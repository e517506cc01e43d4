import { Binary } from '../../../src/http/route';
import { createQrPictures } from '../../../src/login/qr';

describe('QR pictures', () => {
  let rendered: string[];
  let now: number;
  const render = async (link: string, format: string) => {
    rendered.push(`${format} ${link}`);
    return new Binary('image/png', link);
  };
  beforeEach(() => {
    rendered = [];
    now = 0;
  });
  const pictures = () => createQrPictures(render, () => now);

  it('are rendered once for each link and format, however many ask at the same time', async () => {
    const qr = pictures();
    const all = await Promise.all(Array.from({ length: 50 }, () => qr.of('a', 'png', 60_000)));
    expect(new Set(all).size).toBe(1);
    await qr.of('a', 'svg', 60_000);
    await qr.of('b', 'png', 60_000);
    expect(rendered).toEqual(['png a', 'svg a', 'png b']);
  });

  it('are kept as long as their session, at least a minute', async () => {
    const qr = pictures();
    await qr.of('a', 'png', 120_000);
    await qr.of('ended', 'png', -5);
    now = 59_000;
    await qr.of('a', 'png', 61_000);
    await qr.of('ended', 'png', -5);
    expect(rendered).toHaveLength(2);
    now = 121_000;
    await qr.of('a', 'png', -1_000);
    expect(rendered).toHaveLength(3);
  });

  it('do not fill the memory', async () => {
    const qr = pictures();
    for (let i = 0; i < 1_500; i += 1) await qr.of(String(i), 'png', 60_000);
    await qr.of('1499', 'png', 60_000);
    expect(rendered).toHaveLength(1_500);
    await qr.of('0', 'png', 60_000);
    expect(rendered).toHaveLength(1_501);
  });

  it('that failed are rendered again', async () => {
    let fails = true;
    const qr = createQrPictures(async (link) => {
      if (fails) throw new Error('no memory');
      return new Binary('image/png', link);
    });
    await expect(qr.of('a', 'png', 60_000)).rejects.toThrow('no memory');
    fails = false;
    expect((await qr.of('a', 'png', 60_000)).data).toBe('a');
  });
});
