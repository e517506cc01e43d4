import { z } from 'zod';
import { roles, roleScopes, scopes, type Scope } from '../../../src/base/contract/scopes';
import { scopeOf, type RouteSpec } from '../../../src/base/http/route';
import { createRoutes } from '../../../src/process/roles/api';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { ownPage } from '../../support/own-page';
import { insertMemberRow } from './fixture';
import { routeScopes } from './route-scopes';

let service: TestService;
let project: TestProject;
let specs: RouteSpec[];
beforeAll(async () => {
  // Its own: the list of its routes.
  service = await startTestService({ roles: 'api' });
  project = await service.createProject({ plan: 'basic' });
  specs = createRoutes(service.service.core, { parts: [], waiter: null as never })
    .map(({ spec }) => spec)
    .filter(({ auth }) => auth === 'key');
});
afterAll(() => service?.stop());

const nameOf = ({ method, path }: RouteSpec) => `${method} ${path}`;

/** Throws for a route that the table does not have. */
function neededFor(spec: RouteSpec): Scope | null {
  const scope = routeScopes[nameOf(spec)];
  if (scope === undefined) throw new Error(`${nameOf(spec)} is not in route-scopes.ts`);
  return scope;
}

/**
 * Whether the guard lets the caller through. The request is refused afterwards by a query parameter that no route knows, so
 * that nothing changes.
 */
async function isAllowed({ method, path }: RouteSpec, headers: Record<string, string>): Promise<boolean> {
  const filled = path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
  const { status, body } = await service.apiWith(null)(
    method,
    `${filled}?no_such_field=1`,
    undefined,
    headers,
  );
  // A parameter of the path that is no UUID is not found before the query is read.
  if (body['code'] === 'validation_failed' || body['code'] === 'not_found') return true;
  expect([method, path, status, body['code']]).toEqual([method, path, 403, 'forbidden']);
  return false;
}

async function expectMatrix(granted: readonly Scope[], headers: Record<string, string>): Promise<void> {
  const wrong: string[] = [];
  for (const spec of specs) {
    const scope = neededFor(spec);
    const expected = scope === null || granted.includes(scope);
    if ((await isAllowed(spec, headers)) !== expected) wrong.push(nameOf(spec));
  }
  expect(wrong).toEqual([]);
}

test('the table of scopes has every route, and each declares what the table says', () => {
  expect(Object.fromEntries(specs.map((spec) => [nameOf(spec), scopeOf(spec)]))).toEqual(routeScopes);
});

test('there is a route for every scope but those of parts that are not built', () => {
  const used = new Set(specs.map(scopeOf));
  for (const scope of ['read', 'send', 'auth', 'admin', 'manage', 'publish'] as const) {
    expect([scope, used.has(scope)]).toEqual([scope, true]);
  }
});

test.each(scopes)('a key with the scope %s may do exactly what needs it', async (scope) => {
  const key = await service.createKey(project.id, [scope]);
  await expectMatrix([scope], { authorization: `Bearer ${key}` });
});

test.each(roles)('a member with the role %s may do exactly what its scopes allow', async (role) => {
  const { cookie } = await insertMemberRow(service, project, role);
  await expectMatrix(roleScopes[role], { ...ownPage, cookie });
});

/** Its `code` is that of an error in a row. */
const IMPORT = 'GET /v1/import/{id}';
const CONFIDENTIAL = ['code', 'secret', 'api_key', 'client_secret'];

test('no viewer sees a login code, a secret, an export or a link with which to act', () => {
  const visible = specs.filter((spec) => neededFor(spec) === 'read' && nameOf(spec) !== IMPORT);
  // A response that gives access to something.
  expect(visible.filter(({ confidential }) => confidential).map(nameOf)).toEqual([]);
  expect(
    visible
      .map(({ path }) => path)
      .filter((path) => /^\/v1\/auth\/(session|requests)\/|^\/v1\/export|\/data$/.test(path)),
  ).toEqual([]);
  for (const field of CONFIDENTIAL) {
    const withField = specs.filter(({ response }) => fieldsOf(response).has(field));
    expect([field, withField.length > 0]).toEqual([field, true]);
    expect([field, ...withField.filter((spec) => visible.includes(spec)).map(nameOf)]).toEqual([field]);
  }
});

/** The names of all fields of a response, at any depth. */
function fieldsOf(response: RouteSpec['response']): Set<string> {
  const names = new Set<string>();
  if (response === undefined || Array.isArray(response)) return names;
  const pending: unknown[] = [z.toJSONSchema(response, { unrepresentable: 'any' })];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) continue;
    const { properties } = next as { properties?: object };
    for (const name of Object.keys(properties ?? {})) names.add(name);
    pending.push(...Object.values(next));
  }
  return names;
}
