import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import pino from 'pino';
import { startExampleSite, type ExampleSite } from '../../../src/local/demo/example-site';
import type { Installation, TestProject } from '../../support/installation';
import { startTestService } from '../../support/service';
import { useService } from '../../support/use-service';

const PORT = 4000;

describe('the example site of npm start', () => {
  let service: Installation;
  let folder: string;
  let urlFile: string;
  let logLines: string[];
  let sites: ExampleSite[];
  /** Has the site's port, unless something else on this machine has it already. */
  const other = net.createServer();

  beforeAll(async () => {
    service = await useService();
    await new Promise<void>((resolve) => {
      other.once('error', () => resolve());
      other.listen(PORT, '127.0.0.1', resolve);
    });
  });
  afterAll(async () => {
    other.close();
    await service?.stop();
  });
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'herald-site-'));
    urlFile = path.join(folder, 'demo-site-url');
    [logLines, sites] = [[], []];
  });
  afterEach(async () => {
    for (const site of sites) await site.stop();
    await rm(folder, { recursive: true });
  });

  async function tryStart({ api_key }: Pick<TestProject, 'api_key'>, apiUrl = service.url) {
    const log = pino({}, { write: (line: string) => void logLines.push(line) });
    const site = await startExampleSite({ apiUrl, publicUrl: apiUrl, apiKey: api_key, urlFile, log });
    if (site) sites.push(site);
    return site;
  }
  async function start(project: Pick<TestProject, 'api_key'>, apiUrl?: string): Promise<ExampleSite> {
    const site = await tryStart(project, apiUrl);
    if (!site) throw new Error(`no site: ${logLines.join()}`);
    return site;
  }
  const urlsOf = async ({ api }: TestProject) => {
    const { callback_url, redirect_urls } = (await api('GET', '/v1/project')).body;
    return { callback_url, redirect_urls };
  };

  it('takes any port when its own is in use', async () => {
    const { url } = await start(await service.createProject());
    expect(new URL(url).port).not.toBe(String(PORT));
    expect((await fetch(url)).status).toBe(200);
  });

  it('removes what a killed one left in the project, however often that happens', async () => {
    // The second one looks like a site's, but is the project's own.
    const own = ['https://shop.example/callback', 'http://127.0.0.1:5173/callback'];
    const project = await service.createProject({ redirect_urls: own });
    let last = await start(project);
    // None of them is stopped before the next one starts.
    for (let killed = 0; killed < 21; killed += 1) last = await start(project);
    expect(await urlsOf(project)).toEqual({ callback_url: `${last.url}/callback`, redirect_urls: own });
    await last.stop();
    expect(await urlsOf(project)).toEqual({ callback_url: null, redirect_urls: own });
    expect(existsSync(urlFile)).toBe(false);
  });

  it('starts with a full list of redirect URLs, and restores the callback URL', async () => {
    const before = {
      callback_url: 'https://shop.example/callback',
      redirect_urls: Array.from({ length: 20 }, (_, n) => `https://shop.example/${n}`),
    };
    const project = await service.createProject(before);
    const site = await start(project);
    expect(await urlsOf(project)).toEqual({ ...before, callback_url: `${site.url}/callback` });
    await site.stop();
    expect(await urlsOf(project)).toEqual(before);
  });

  it('allows the old callback URL while it runs, and keeps changes that were made meanwhile', async () => {
    const project = await service.createProject({ callback_url: 'https://shop.example/old' });
    const first = await start(project);
    expect((await urlsOf(project)).redirect_urls).toEqual(['https://shop.example/old']);
    const added = ['https://shop.example/old', 'https://shop.example/added'];
    await project.api('PATCH', '/v1/project', { redirect_urls: added });
    await first.stop();
    expect(await urlsOf(project)).toEqual({
      callback_url: 'https://shop.example/old',
      redirect_urls: ['https://shop.example/added'],
    });

    const second = await start(project);
    await project.api('PATCH', '/v1/project', { callback_url: 'https://shop.example/new' });
    await second.stop();
    expect(await urlsOf(project)).toMatchObject({ callback_url: 'https://shop.example/new' });
  });

  it('is a warning when it cannot start, and leaves nothing running', async () => {
    let callbackUrl = '';
    const api = http.createServer(async (req, res) => {
      if (req.method === 'PATCH') {
        callbackUrl = (JSON.parse(await text(req)) as { callback_url: string }).callback_url;
        res.statusCode = 400;
      }
      res.setHeader('content-type', 'application/json');
      res.end(JSON.stringify({ callback_url: null, redirect_urls: [] }));
    });
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
    const { port } = api.address() as net.AddressInfo;
    try {
      expect(await tryStart({ api_key: 'hk_none' }, `http://127.0.0.1:${port}`)).toBeNull();
    } finally {
      api.close();
    }
    expect(logLines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ level: 40, msg: 'the example site could not start' }),
    ]);
    await expect(fetch(callbackUrl)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });

  it('reaches the API at the one address that HERALD_HOST names', async () => {
    // Its own: another address.
    const elsewhere = await startTestService({ roles: 'api', env: { HERALD_HOST: '127.0.0.2' } });
    try {
      const { apiUrl, operatorsUrl, core } = elsewhere.service;
      expect(new URL(apiUrl ?? '').hostname).toBe('127.0.0.2');
      expect(core.publicUrl()).toBe(apiUrl);
      expect((await fetch(`${operatorsUrl}/healthz`)).status).toBe(200);
      const site = await start(await elsewhere.createProject(), apiUrl ?? '');
      expect((await fetch(site.url)).status).toBe(200);
      await site.stop();
      sites = [];
    } finally {
      await elsewhere.stop();
    }
  });
});
