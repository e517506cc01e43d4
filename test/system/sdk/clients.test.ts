import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { typescriptProject } from '../../support/sdk';
import type { Installation } from '../../support/installation';
import { useService } from '../../support/use-service';
import { startFaultyProxy, type FaultyProxy } from './faulty-proxy';
import { confirm, languages, openApiClient, runScript, type Language } from './fixture';

jest.setTimeout(240_000);

let service: Installation;
/** What each language did, by its name. They run at the same time. */
const results = new Map<string, Ran>();
beforeAll(async () => {
  service = await useService();
  await Promise.all(languages.map(async (language) => results.set(language.name, await run(language))));
});
afterAll(() => service?.stop());

/** JSON has them as they are; Python takes them for ends of lines. */
const SEPARATORS = 'An\u0085\u2028\u2029na';

type Step = Record<string, unknown> & { step: string };

interface Ran {
  steps: Step[];
  proxy: FaultyProxy;
  links: number;
  messages: string[];
}

async function run({ name, prepare }: Language): Promise<Ran> {
  const project = await service.createProject({ plan: 'basic' });
  const faults = {
    'POST /v1/send': 'unavailable',
    'POST /v1/subscribe-links': 'lost',
    'GET /v1/webhooks/stream': 'broken',
  } as const;
  const proxy = await startFaultyProxy(service.url, faults);
  const extension = name === 'Python' ? 'py' : 'ts';
  const prepared = prepare({ file: path.join(__dirname, `client.${extension}`) });
  const user = `sdk-${extension}`;
  const steps: Step[] = [];
  try {
    await runScript(prepared, { HERALD_URL: proxy.url, HERALD_API_KEY: project.api_key }, async (line) => {
      const step = JSON.parse(line) as Step;
      steps.push(step);
      if (step.step === 'session') await confirm(service, step['link'] as string, user);
      if (step.step === 'following') {
        await service.emitExample(project.id, 'auth.completed', { first_name: SEPARATORS });
      }
    });
  } finally {
    prepared.remove();
    await proxy.close();
  }
  const links = await project.api<{ data: object[] }>('GET', '/v1/subscribe-links');
  const { messages } = await service.control.chat('telegram', user);
  return { steps, proxy, links: links.body.data.length, messages: messages.map(({ text }) => text) };
}

describe.each(languages)('the SDK for $name, installed from its package', ({ name: language }) => {
  let ran: Ran;
  const step = (name: string) => ran.steps.find((each) => each.step === name);
  const requests = (route: string) => ran.proxy.seen.filter((request) => request.route === route);

  beforeAll(() => {
    ran = results.get(language) as Ran;
  });

  it('logs a user in', () => {
    expect(step('user')).toMatchObject({ state: 'st-1', first_name: 'Anna' });
  });

  it('sends a message, although the service was unavailable at first', () => {
    expect(step('sent')).toMatchObject({ sent: 1 });
    expect(ran.messages.filter((text) => text === 'Hello from the SDK')).toHaveLength(1);
    expect(requests('POST /v1/send').map(({ outcome }) => outcome)).toEqual(['unavailable', 200]);
  });

  it('polls again after Retry-After when the service says that it polls too often', () => {
    expect(step('polled')).toMatchObject({ status: 'consumed' });
    const outcomes = ran.proxy.seen.flatMap(({ route, outcome }) =>
      route.endsWith('/status') ? [outcome] : [],
    );
    expect(outcomes).toContain(429);
    expect(outcomes.at(-1)).toBe(200);
  });

  it('receives a webhook, verifies it and refuses forged ones', () => {
    expect(step('webhook')).toMatchObject({
      event: 'auth.completed',
      person: expect.any(String),
      test: true,
      sameDelivery: true,
      refused: ['no_match', 'no_match'],
    });
  });

  it('follows the stream of events, and goes on after the last event when the connection breaks', () => {
    const { ids, last, typed, codes } = step('streamed') as Record<string, unknown>;
    expect({ last, typed }).toEqual({ last: 'otp.verified', typed: true });
    expect(String.fromCharCode(...(codes as number[]))).toBe(SEPARATORS);
    expect(new Set(ids as string[]).size).toBe((ids as string[]).length);
    const streams = requests('GET /v1/webhooks/stream');
    expect(streams.slice(0, 2).map(({ outcome }) => outcome)).toEqual(['broken', 200]);
    // The last event before the break; several can come at once.
    expect(ids).toContain(streams[1]?.lastEventId);
  });

  it('goes through the pages of a list', () => {
    expect((step('paginated')?.['names'] as string[] | undefined)?.sort()).toEqual([
      'five',
      'four',
      'one',
      'three',
      'two',
    ]);
    expect(requests('GET /v1/subscribe-links').length).toBeGreaterThanOrEqual(3);
  });

  it('repeats a request whose response was lost with the same Idempotency-Key, so that it happens once', () => {
    const [first, second] = requests('POST /v1/subscribe-links');
    expect([first?.outcome, second?.outcome]).toEqual(['lost', 201]);
    expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
    expect(ran.links).toBe(5);
    const keys = requests('POST /v1/subscribe-links').map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys).size).toBe(5);
  });

  it('reads and uploads files, and reports errors with their codes', () => {
    expect(step('exported')).toMatchObject({ hasSubscriber: true });
    expect(step('uploaded')).toMatchObject({ hasLogo: true });
    expect(step('refused')).toMatchObject({ status: 404, retryable: false });
    expect(step('no key')?.['message']).toMatch(/^The API key has characters that no key has/);
  });
});

it('a client generated from OpenAPI by openapi-typescript compiles and logs in', async () => {
  const project = await service.createProject();
  const document = await (await fetch(`${service.url}/openapi.json`)).text();
  const prepared = openApiClient(document);
  const lines: string[] = [];
  await runScript(prepared, { HERALD_URL: service.url, HERALD_API_KEY: project.api_key }, async (line) => {
    lines.push(line);
    if (line.startsWith('http')) await confirm(service, line, 'openapi');
  });
  prepared.remove();
  expect(lines.at(-1)).toBe('Hello, Anna');
});

it('the package for TypeScript is also CommonJS', () => {
  const code = `const { Herald, verifyWebhook } = require('herald-sdk'); console.log(typeof Herald, typeof verifyWebhook);`;
  const printed = execFileSync(process.execPath, ['-e', code], {
    cwd: typescriptProject(),
    encoding: 'utf8',
  });
  expect(printed.trim()).toBe('function function');
});
