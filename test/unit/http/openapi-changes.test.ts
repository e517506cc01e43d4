import { readFileSync } from 'node:fs';
import path from 'node:path';
import { routeSpecs } from '../../../sdk/generator/routes';
import { openApiDocument } from '../../../src/site/openapi';
import { breakingChanges, promised } from '../../support/released/openapi-changes';
import { releases, unpacked } from '../../support/released/releases';

type Json = Record<string, unknown>;

const today = promised(
  openApiDocument(
    routeSpecs().map((spec) => ({ spec })),
    'http://localhost',
  ),
);
const { version } = JSON.parse(readFileSync(path.join(__dirname, '../../../package.json'), 'utf8')) as {
  version: string;
};

test('the API of today serves the clients of every release of this major version', () => {
  const [major] = version.split('.');
  for (const release of releases.filter((name) => name.startsWith(`${major}.`))) {
    const earlier = JSON.parse(unpacked(release, 'openapi.json.br').toString()) as Json;
    expect([release, breakingChanges(earlier, today)]).toEqual([release, []]);
  }
});

test('routes of Herald’s own pages are not promised, and each of them exists', () => {
  const paths = Object.keys(today['paths'] as Json);
  const all = new Set(routeSpecs().map(({ path: each }) => each));
  expect([...all].filter((each) => !paths.includes(each)).sort()).toEqual(
    [...all]
      .filter((each) => /^\/(dashboard|login|mini)\//.test(each))
      .concat([
        '/v1/forms/stats',
        '/v1/helpdesk/agents',
        '/v1/helpdesk/counts',
        '/v1/messages/stats',
        '/v1/webhooks/filter-preview',
        '/v1/webhooks/stats',
      ])
      .sort(),
  );
  expect(paths).toEqual(expect.arrayContaining(['/v1/auth/stats', '/v1/webhooks/{id}/stats', '/v1/send']));
});

/** A small API before a change, and the same after it. */
function changed(change: (document: Json) => void): string[] {
  const before = promised(small());
  const after = small();
  change(after);
  return breakingChanges(before, promised(after));
}

const small = (): Json => ({
  paths: {
    '/v1/things': {
      get: {
        parameters: [{ in: 'query', name: 'status', schema: { enum: ['open', 'closed'] } }],
        responses: { 200: { content: { 'application/json': { schema: thing() } } } },
      },
      post: {
        parameters: [],
        requestBody: { required: true, content: { 'application/json': { schema: thing() } } },
        responses: { 201: { content: { 'application/json': { schema: thing() } } }, 400: {} },
      },
    },
  },
  webhooks: {
    'thing.created': {
      post: {
        parameters: [],
        requestBody: { required: true, content: { 'application/json': { schema: thing() } } },
        responses: { 200: {} },
      },
    },
  },
});

const thing = () => ({
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 64 },
    kind: { type: 'string', enum: ['a', 'b'] },
    owner: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    parts: {
      type: 'array',
      items: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    },
  },
  required: ['name'],
  additionalProperties: false,
});

type Thing = ReturnType<typeof thing> & { properties: Record<string, unknown> };

function at(document: Json, ...keys: string[]): Thing {
  return keys.reduce((value, key) => value[key] as Json, document) as unknown as Thing;
}
const JSON_SCHEMA = ['content', 'application/json', 'schema'];
const sent = (document: Json) => at(document, 'paths', '/v1/things', 'post', 'requestBody', ...JSON_SCHEMA);
const read = (document: Json) =>
  at(document, 'paths', '/v1/things', 'get', 'responses', '200', ...JSON_SCHEMA);
const event = (document: Json) =>
  at(document, 'webhooks', 'thing.created', 'post', 'requestBody', ...JSON_SCHEMA);

test.each<[string, (document: Json) => void, string]>([
  ['a route is removed', (d) => delete (d['paths'] as Json)['/v1/things'], 'GET /v1/things is gone'],
  [
    'a parameter is removed',
    (d) => (at(d, 'paths', '/v1/things', 'get') as unknown as { parameters: unknown[] }).parameters.pop(),
    'GET /v1/things: query status is gone',
  ],
  [
    'a parameter refuses a value',
    (d) => {
      const { parameters } = at(d, 'paths', '/v1/things', 'get') as unknown as {
        parameters: { schema: { enum: string[] } }[];
      };
      parameters[0]!.schema.enum.pop();
    },
    'GET /v1/things: query status: "closed" is refused now',
  ],
  [
    'a field is refused',
    (d) => delete (sent(d).properties as Json)['kind'],
    'POST /v1/things: body.kind is gone',
  ],
  ['a field is required', (d) => sent(d).required.push('kind'), 'POST /v1/things: body.kind is required now'],
  [
    'a text must be shorter',
    (d) => (sent(d).properties.name.maxLength = 32),
    'POST /v1/things: body.name: maxLength is 32 now',
  ],
  [
    'a field has another type',
    (d) => (sent(d).properties.name.type = 'integer'),
    'POST /v1/things: body.name: string became integer',
  ],
  [
    'null is refused',
    (d) => sent(d).properties.owner.anyOf.pop(),
    'POST /v1/things: body.owner: null became string',
  ],
  [
    'a field is not returned',
    (d) => delete (read(d).properties as Json)['kind'],
    'GET /v1/things: response.kind is gone',
  ],
  [
    'a field may be missing',
    (d) => read(d).required.pop(),
    'GET /v1/things: response.name can be missing now',
  ],
  [
    'a field of a list may be missing',
    (d) => read(d).properties.parts.items.required.pop(),
    'GET /v1/things: response.parts[].n can be missing now',
  ],
  [
    'a field may be null',
    (d) => (read(d).properties['name'] = { anyOf: [{ type: 'string' }, { type: 'null' }] } as never),
    'GET /v1/things: response.name: string became null',
  ],
  [
    'a success has another status',
    (d) => {
      const responses = at(d, 'paths', '/v1/things', 'post', 'responses') as unknown as Json;
      delete responses['201'];
    },
    'POST /v1/things: the response 201 is gone',
  ],
  [
    'an event is removed',
    (d) => delete (d['webhooks'] as Json)['thing.created'],
    'POST thing.created is gone',
  ],
  [
    'a field of an event is removed',
    (d) => delete (event(d).properties as Json)['kind'],
    'POST thing.created: body.kind is gone',
  ],
])('is a break: %s', (_, change, sentence) => {
  expect(changed(change)).toEqual([
    sentence,
    ...(sentence.startsWith('GET /v1/things is') ? ['POST /v1/things is gone'] : []),
  ]);
});

test.each<[string, (document: Json) => void]>([
  ['nothing', () => undefined],
  ['a new route', (d) => ((d['paths'] as Json)['/v1/more'] = {})],
  ['a new optional field', (d) => (sent(d).properties['more'] = { type: 'string' })],
  ['a longer text', (d) => (sent(d).properties.name.maxLength = 128)],
  ['one more value that is accepted', (d) => sent(d).properties.kind.enum.push('c')],
  ['a new field of a response', (d) => (read(d).properties['more'] = { type: 'string' })],
  ['one more value in a response', (d) => read(d).properties.kind.enum.push('c')],
  ['a field that is no longer null', (d) => read(d).properties.owner.anyOf.pop()],
  ['a field that need not be sent', (d) => sent(d).required.pop()],
  ['a new field of an event', (d) => (event(d).properties['more'] = { type: 'string' })],
])('is no break: %s', (_, change) => {
  expect(changed(change)).toEqual([]);
});
