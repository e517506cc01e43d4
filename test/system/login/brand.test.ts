import { randomBytes } from 'node:crypto';
import type http from 'node:http';
import { png } from '../../support/png';
import { startReceiver, type Receiver } from '../../support/receiver';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { createSession } from './fixture';

const logo = png(4, 3, () => [200, 60, 20, 255]);
const webp = Buffer.from('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=', 'base64');

let service: Installation;
let images: Receiver;
let source: string;
let answer: (res: http.ServerResponse) => void;

beforeAll(async () => {
  images = await startReceiver((res) => answer(res));
  source = new URL(images.url).origin;
  service = await useService();
});
afterAll(async () => {
  await service?.stop();
  await images?.close();
});

const serving = (data: Buffer | string) => (res: http.ServerResponse) => void res.end(data);
const setBrand = (project: TestProject, brand: object) => project.api('PATCH', '/v1/project', { brand });

async function page(project: TestProject): Promise<string> {
  const session = await createSession(project);
  return (await fetch(session.hosted_url)).text();
}

describe('the look of a project', () => {
  it('is on its login page: logo from our own path, colour, privacy link', async () => {
    const project = await service.createProject({ name: 'Tea' });
    answer = serving(logo);
    const { status, body } = await setBrand(project, {
      logo_url: `${source}/logo.png`,
      color: '#FFCC00',
      privacy_url: 'https://tea.example/privacy?a=1&b=2#top',
    });
    const brand = {
      logo_url: `${source}/logo.png`,
      logo_path: body.brand.logo_path,
      color: '#ffcc00',
      privacy_url: 'https://tea.example/privacy?a=1&b=2#top',
    };
    expect({ status, brand: body.brand }).toEqual({ status: 200, brand });
    expect((await project.api('GET', '/v1/project')).body.brand).toEqual(brand);

    const html = await page(project);
    expect(html).toContain('href="https://tea.example/privacy?a=1&amp;b=2#top"');
    expect(html).not.toContain(source);
    const path = /src="(\/brand\/logo\/[0-9a-f-]{36})"/.exec(html)?.[1];
    expect(path).toBe(brand.logo_path);
    const picture = await fetch(service.url + path);
    expect(Object.fromEntries(picture.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(logo);

    const style = /href="(\/brand\/[0-9a-f]{6}\.css)"/.exec(html)?.[1];
    const css = await fetch(service.url + style);
    expect(css.headers.get('content-type')).toContain('text/css');
    // Black on yellow: white could not be read.
    expect(await css.text()).toBe(':root { --brand: #ffcc00; --brand-ink: #000000; }\n');
    expect(images.received.filter((request) => request.path === '/logo.png')).toHaveLength(1);
  });

  it('changes field by field; a cleared logo is gone', async () => {
    const project = await service.createProject();
    answer = serving(webp);
    await setBrand(project, { logo_url: `${source}/a`, color: '#112233' });
    const path = /\/brand\/logo\/[0-9a-f-]{36}/.exec(await page(project))?.[0];
    expect((await fetch(service.url + path)).headers.get('content-type')).toBe('image/webp');

    expect((await setBrand(project, { privacy_url: 'https://a.example/p' })).body.brand).toEqual({
      logo_url: `${source}/a`,
      logo_path: path,
      color: '#112233',
      privacy_url: 'https://a.example/p',
    });
    await service.pool.query('UPDATE projects SET active = false WHERE id = $1', [project.id]);
    expect((await fetch(service.url + path)).status).toBe(404);
    await service.pool.query('UPDATE projects SET active = true WHERE id = $1', [project.id]);

    expect((await setBrand(project, { logo_url: null })).body.brand).toEqual({
      logo_url: null,
      logo_path: null,
      color: '#112233',
      privacy_url: 'https://a.example/p',
    });
    expect((await fetch(service.url + path)).status).toBe(404);
    expect(await page(project)).not.toContain('/brand/logo/');
    const { rows } = await service.pool.query('SELECT logo FROM project_brands WHERE project_id = $1', [
      project.id,
    ]);
    expect(rows).toEqual([{ logo: null }]);
  });

  it.each<[string, (res: http.ServerResponse) => void, string, RegExp]>([
    ['an SVG', serving('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'validation_failed', /PNG or WebP/],
    ['an HTML page', serving('<!doctype html>'), 'validation_failed', /PNG or WebP/],
    ['nothing', serving(''), 'validation_failed', /PNG or WebP/],
    [
      'more than 100 KiB',
      serving(Buffer.concat([logo, randomBytes(103_000)])),
      'validation_failed',
      /up to 100 KiB/,
    ],
    [
      'a picture of many pixels',
      serving(png(2_001, 1, () => [0, 0, 0, 0])),
      'validation_failed',
      /2000 × 2000 pixels/,
    ],
    ['404', (res) => void res.writeHead(404).end(), 'invalid_url', /returned HTTP 404/],
    [
      'a redirect',
      (res) => void res.writeHead(302, { location: '/other' }).end(),
      'invalid_url',
      /returned HTTP 302/,
    ],
    ['a dropped connection', (res) => void res.destroy(), 'invalid_url', /did not respond/],
  ])('refuses %s as a logo and changes nothing', async (_what, given, code, text) => {
    const project = await service.createProject({ name: 'Before' });
    answer = given;
    const { status, body } = await project.api('PATCH', '/v1/project', {
      name: 'After',
      brand: { logo_url: `${source}/x`, color: '#000000' },
    });
    expect({ status, code: body.code }).toEqual({ status: 400, code });
    expect(body.error).toMatch(/^brand\.logo_url: /);
    expect(body.error).toMatch(text);
    expect((await project.api('GET', '/v1/project')).body).toMatchObject({
      name: 'Before',
      brand: { logo_url: null, logo_path: null, color: null, privacy_url: null },
    });
    expect(images.received.at(-1)?.path).toBe('/x');
  });

  it.each([
    'https://169.254.169.254/logo.png',
    'https://10.0.0.1/logo.png',
    'https://metadata.internal/logo.png',
    'http://example.com/logo.png',
    'ftp://example.com/logo.png',
    'logo.png',
  ])('does not fetch %s', async (logo_url) => {
    const { status, body } = await setBrand(await service.createProject(), { logo_url });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_url' });
    expect(body.error).toMatch(/^brand\.logo_url: /);
  });

  it.each([
    [{ color: 'red' }, 'brand.color'],
    [{ color: '#12345' }, 'brand.color'],
    [{ color: '#123456;}' }, 'brand.color'],
    [{ privacy_url: 'javascript:alert(1)' }, 'brand.privacy_url'],
    [{ privacy_url: 'https://user:pass@example.com' }, 'brand.privacy_url'],
    [{ font: 'serif' }, 'brand.font'],
  ])('refuses %j and names the field', async (brand, field) => {
    const { status, body } = await setBrand(await service.createProject(), brand);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_failed' });
    expect(body.error).toContain(field);
  });

  it('knows no other logo and no other style', async () => {
    for (const path of ['/brand/logo/00000000-0000-4000-8000-000000000000', '/brand/zzzzzz.css', '/brand/']) {
      expect((await fetch(service.url + path)).status).toBe(404);
    }
  });
});

describe('an uploaded logo', () => {
  const upload = (project: TestProject, data: Buffer, type: string) =>
    project.api('PUT', '/v1/project/logo', data, { 'content-type': type });
  // SOI, a comment of two bytes, and a frame of 3 × 4 pixels.
  const jpeg = Buffer.from('ffd8fffe00046869ffc0000b080004000301011100ffd9', 'hex');
  // A browser skips FF01, which has no length, and finds another frame than a reader who takes the next bytes for its length.
  const hidden = Buffer.concat([
    Buffer.from('ffd8ff01', 'hex'),
    Buffer.from('ffc0000b08fde8fde801011100', 'hex'),
    jpeg.subarray(2),
  ]);

  it('is on the login page, in place of one from a URL, and can be removed', async () => {
    const project = await service.createProject();
    answer = serving(webp);
    await setBrand(project, { logo_url: `${source}/a`, color: '#112233' });
    for (const [type, data] of [
      ['image/png', logo],
      ['image/jpeg', jpeg],
      ['image/webp', webp],
    ] as const) {
      const { status, body } = await upload(project, data, type);
      expect({ status, brand: body.brand }).toEqual({
        status: 200,
        brand: {
          logo_url: null,
          logo_path: expect.stringMatching(/^\/brand\/logo\//),
          color: '#112233',
          privacy_url: null,
        },
      });
      expect(await page(project)).toContain(`src="${body.brand.logo_path}"`);
      const picture = await fetch(service.url + body.brand.logo_path);
      expect(picture.headers.get('content-type')).toBe(type);
      expect(Buffer.from(await picture.arrayBuffer())).toEqual(data);
    }
    expect((await setBrand(project, { logo_url: null })).body.brand.logo_path).toBeNull();
    const { body: audit } = await project.api('GET', '/v1/audit?action=project_logo.updated');
    expect(audit.data.at(-1)).toMatchObject({
      changes: [{ field: 'logo_url', before: `${source}/a`, after: null }],
    });
  });

  it('may have 512 KiB; more is 413', async () => {
    const project = await service.createProject();
    const padded = (bytes: number) => Buffer.concat([logo, Buffer.alloc(bytes - logo.length)]);
    expect((await upload(project, padded(512 * 1024), 'image/png')).status).toBe(200);
    const { status, body } = await upload(project, padded(512 * 1024 + 1), 'image/png');
    expect({ status, code: body.code, error: body.error }).toEqual({
      status: 413,
      code: 'payload_too_large',
      error: 'The request body is larger than 512 KiB.',
    });
  });

  it.each([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/png', 400, /PNG or WebP/],
    ['nothing', Buffer.alloc(0), 'image/png', 400, /PNG or WebP/],
    ['a broken JPEG', jpeg.subarray(0, 8), 'image/jpeg', 400, /PNG or WebP/],
    ['a JPEG with a marker before its frame', hidden, 'image/jpeg', 400, /PNG or WebP/],
    ['many pixels', png(2_001, 1, () => [0, 0, 0, 0]), 'image/png', 400, /2000 × 2000 pixels/],
    ['another type', logo, 'image/gif', 415, /image\/png, image\/jpeg or image\/webp/],
    ['JSON', Buffer.from('{}'), 'application/json', 415, /image\/png/],
  ])('cannot be %s', async (_what, data, type, status, text) => {
    const project = await service.createProject();
    const { status: found, body } = await upload(project, data, type);
    expect({ status: found, error: body.error }).toEqual({ status, error: expect.stringMatching(text) });
    expect((await project.api('GET', '/v1/project')).body.brand.logo_path).toBeNull();
  });
});

describe('the way back from the login page', () => {
  it('leads to the session’s own address with the error and the state', async () => {
    const project = await service.createProject({
      callback_url: 'https://tea.example/вход?from=herald',
      redirect_urls: ['https://tea.example/other'],
    });
    const links = async (body: object) => {
      const { hosted_url } = await createSession(project, { state: 'a+%#?=', ...body });
      const html = await (await fetch(hosted_url)).text();
      return [...html.matchAll(/<p><a class="button" href="(https:[^"]+)"/g)].map(([, href = '']) =>
        href.replaceAll('&amp;', '&'),
      );
    };
    const base = 'https://tea.example/%D0%B2%D1%85%D0%BE%D0%B4?from=herald';
    const state = 'state=a%2B%25%23%3F%3D';
    expect(await links({})).toEqual([
      `${base}&error=access_denied&${state}`,
      `${base}&error=temporarily_unavailable&${state}`,
      `${base}&error=access_denied&error_description=The%20login%20expired.&${state}`,
    ]);
    expect((await links({ redirect_uri: 'https://tea.example/other' }))[0]).toBe(
      `https://tea.example/other?error=access_denied&${state}`,
    );
  });

  it('is missing without a callback URL, and on the page of an unknown login', async () => {
    const html = await page(await service.createProject());
    expect(html).not.toContain('error=access_denied');
    const unknown = await (await fetch(`${service.url}/login/${'x'.repeat(32)}`)).text();
    expect(unknown).toContain('Login not found');
    expect([...unknown.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => href)).toEqual(['?lang=ru']);
  });
});
