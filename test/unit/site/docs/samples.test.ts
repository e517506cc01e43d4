import { execFileSync, spawnSync } from 'node:child_process';
import ts from 'typescript';
import * as sdk from '../../../../sdk/typescript/src';
import { languages, type LanguageId, type SampleRequest } from '../../../../src/site/docs/samples';

const url = 'https://herald.example.com/v1/things/<id>?wait=<wait>';
/** The SDK has no things; a call with a path parameter and a query, whatever it is called. */
const call = {
  group: 'thingLists',
  name: 'getThing',
  params: ['<id>'],
  query: { wait: '<wait>' },
  spread: false,
};
const base: SampleRequest = { method: 'GET', url, needsKey: true, headers: {}, call, returns: 'json' };

/** Everything that a body can contain, and what each language quotes in its own way. */
const awkward = {
  text: `It's "quoted" \\ and $HOME`,
  cyrillic: 'Привет',
  'odd-name': null,
  flag: true,
  off: false,
  count: 3,
  empty: {},
  none: [],
  nested: [{ text: 'Track it', url: 'https://shop.example.com/orders/1001' }],
};

const requests: Record<string, SampleRequest> = {
  'a GET': base,
  'a GET without a key': { ...base, needsKey: false },
  'a picture': { ...base, returns: 'binary' },
  'a POST': { ...base, method: 'POST', body: { state: 'af0ifjsldkj' } },
  'a POST with fields that are keywords in Python': {
    ...base,
    method: 'POST',
    call: { ...call, spread: true },
    body: { state: 'af0ifjsldkj', nested: awkward.nested },
  },
  'a POST with an awkward body': {
    ...base,
    method: 'POST',
    body: awkward,
    headers: { 'Idempotency-Key': 'order-1001' },
  },
  'a POST with an empty body': { ...base, method: 'POST', body: {} },
  'a POST without a body': { ...base, method: 'POST' },
  'a DELETE': { ...base, method: 'DELETE', returns: 'nothing' },
};

function write(id: LanguageId, request: SampleRequest): string {
  return languages.find((language) => language.id === id)?.write(request) ?? '';
}

const isInstalled = (command: string, ...args: string[]) =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** Runs a checker of the language's own; null where this machine has none. */
const checkers: Record<LanguageId, ((code: string) => void) | null> = {
  curl: (code) => void execFileSync('bash', ['-n'], { input: code }),
  typescript: (code) => {
    const { diagnostics } = ts.transpileModule(code, {
      reportDiagnostics: true,
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    expect(diagnostics).toEqual([]);
  },
  python: isInstalled('python3', '--version')
    ? (code) =>
        void execFileSync('python3', ['-X', 'utf8', '-c', 'import ast,sys; ast.parse(sys.stdin.read())'], {
          input: code,
        })
    : null,
  // gofmt refuses what is no Go, and returns the text unchanged if it is formatted.
  go:
    isInstalled('gofmt', '-h') || isInstalled('go', 'version')
      ? (code) => expect(execFileSync('gofmt', { input: code, encoding: 'utf8' }).trim()).toBe(code)
      : null,
  php: isInstalled('php', '--version') ? (code) => void execFileSync('php', ['-l'], { input: code }) : null,
};

describe.each(languages.map(({ id }) => id))('a sample in %s', (id) => {
  it.each(Object.keys(requests))('of %s is correct code', (name) => {
    const code = write(id, requests[name] as SampleRequest);
    checkers[id]?.(code);
    const shown = {
      typescript: /herald\.thingLists\.getThing\(\s*'<id>',[^]*wait: '<wait>'/,
      python: /herald\.thing_lists\.get_thing\(\s*"<id>",[^]*wait="<wait>"/,
    }[id as string];
    if (shown) expect(code).toMatch(shown);
    expect(code).toContain(shown ? 'https://herald.example.com' : url);
  });

  it('sends the key from the environment, and none where none is needed', () => {
    expect(write(id, base)).toContain('HERALD_API_KEY');
    const without = write(id, requests['a GET without a key'] as SampleRequest);
    expect(without).not.toMatch(/Authorization|HERALD_API_KEY/);
  });

  it('names the method where it is no GET, and the headers of the request', () => {
    const deletion = { ...(requests['a DELETE'] as SampleRequest), call: { ...call, name: 'deleteThing' } };
    expect(write(id, deletion)).toMatch(/delete/i);
    expect(write(id, requests['a POST with an awkward body'] as SampleRequest)).toContain('order-1001');
  });
});

it('a curl command passes the awkward body on unchanged', () => {
  const code = write('curl', requests['a POST with an awkward body'] as SampleRequest);
  const print = 'curl() { while [ "$1" != -d ]; do shift; done; printf %s "$2"; }';
  const sent = execFileSync('bash', ['-c', `${print}\n${code}`], { encoding: 'utf8' });
  expect(JSON.parse(sent)).toEqual(awkward);
});

it('a TypeScript sample sends the request that it shows', async () => {
  const request = {
    ...(requests['a POST with an awkward body'] as SampleRequest),
    call: { ...call, group: 'templates', name: 'preview', params: [], query: {} },
  };
  const { outputText } = ts.transpileModule(write('typescript', request).replace(/^console\.log.*$/m, ''), {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const sent: { url: string; init: RequestInit }[] = [];
  const fetch = jest.spyOn(globalThis, 'fetch').mockImplementation(async (target, init) => {
    sent.push({ url: String(target), init: init ?? {} });
    return Response.json({});
  });
  process.env['HERALD_API_KEY'] = 'hk_1';
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- a sample is a text
    const run = new Function('require', 'exports', `return (async () => {${outputText}})()`) as (
      ...given: unknown[]
    ) => Promise<void>;
    await run(() => sdk, {});
  } finally {
    fetch.mockRestore();
    delete process.env['HERALD_API_KEY'];
  }
  expect(sent).toMatchObject([
    {
      url: 'https://herald.example.com/v1/templates/preview',
      init: { method: 'POST', headers: { authorization: 'Bearer hk_1', 'content-type': 'application/json' } },
    },
  ]);
  expect(JSON.parse(String(sent[0]?.init.body))).toEqual(awkward);
});
