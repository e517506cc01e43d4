import { z } from 'zod';
import { roles, roleScopes, scopes, type Scope } from '../../../src/contract/scopes';
import { scopeOf, type RouteSpec } from '../../../src/http/route';
import { createRoutes } from '../../../src/roles/api';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { ownPage } from '../../support/own-page';
import { insertMemberRow } from './fixture';

let service: TestService;
let project: TestProject;
let specs: RouteSpec[];
beforeAll(async () => {
  service = await startTestService({ roles: 'api' });
  project = await service.createProject({ plan: 'basic' });
  specs = createRoutes(service.service.core, [], null as never)
    .map(({ spec }) => spec)
    .filter(({ auth }) => auth === 'key');
});
afterAll(() => service?.stop());

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
    const scope = scopeOf(spec);
    const expected = scope === null || granted.includes(scope);
    if ((await isAllowed(spec, headers)) !== expected) wrong.push(`${spec.method} ${spec.path}`);
  }
  expect(wrong).toEqual([]);
}

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

test('no viewer reads the status of a session, which has the login code', () => {
  const visible = specs.filter((spec) => scopeOf(spec) === 'read').map(({ path }) => path);
  expect(
    visible.filter((path) => /^\/v1\/auth\/(session|requests)\/|^\/v1\/export|\/data$/.test(path)),
  ).toEqual([]);
  const withCode = specs.filter(({ response }) => shapesOf(response).some((shape) => 'code' in shape));
  expect(withCode.length).toBeGreaterThan(0);
  expect(withCode.filter((spec) => scopeOf(spec) === 'read').map(({ path }) => path)).toEqual([]);
});

/** The fields of a response, or of each of its forms. */
function shapesOf(response: RouteSpec['response']): object[] {
  if (response === undefined || Array.isArray(response)) return [];
  const { anyOf, oneOf, properties } = z.toJSONSchema(response, { unrepresentable: 'any' });
  const forms = (anyOf ?? oneOf ?? [{ properties }]) as { properties?: object }[];
  return forms.map((form) => form.properties ?? {});
}
