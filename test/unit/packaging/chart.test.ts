import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { roleNames } from '../../../src/base/config';
import { loadConfig } from '../../../src/process/settings';
import { validatorFor } from '../../support/chart/schema';

const root = path.join(__dirname, '..', '..', '..');
const chart = path.join(root, 'ops', 'helm', 'herald');
const templates = path.join(chart, 'templates');

type Values = Record<string, unknown>;
interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
  // The schema of Kubernetes checks the shape; the tests below read what they name.
  // oxlint-disable-next-line typescript/no-explicit-any
  [rest: string]: any;
}

const read = (file: string) => readFileSync(path.join(chart, file), 'utf8');
const { version, appVersion } = parse(read('Chart.yaml')) as { version: string; appVersion: string };

let folder: string;
let renderer: string | undefined;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'herald-chart-'));
  if (spawnSync('go', ['version']).status !== 0) {
    process.stderr.write('Go is not installed here: the Helm chart is not rendered.\n');
    return;
  }
  renderer = path.join(folder, 'render');
  execFileSync('go', ['build', '-o', renderer, path.join(root, 'test', 'support', 'chart', 'render.go')]);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The chart's objects with some values changed; null where Go is not installed. */
function render(changed: Values = {}): KubernetesObject[] | null {
  if (renderer === undefined) return null;
  const { status, stdout, stderr } = spawnSync(renderer, {
    input: JSON.stringify({
      values: merged(parse(read('values.yaml')) as Values, changed),
      release: { Name: 'shop', Namespace: 'herald' },
      chart: { AppVersion: appVersion },
      files: Object.fromEntries(
        readdirSync(templates).map((file) => [file, readFileSync(path.join(templates, file), 'utf8')]),
      ),
    }),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return objectsOf(stdout);
}

const objectsOf = (text: string) =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);

function merged(values: Values, changed: Values): Values {
  const result = { ...values };
  for (const [name, value] of Object.entries(changed)) {
    const before = result[name];
    result[name] = isObject(before) && isObject(value) ? merged(before, value) : value;
  }
  return result;
}
const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const everything: Values = {
  image: { repository: 'registry.example.com/herald', tag: '9.9.9' },
  imagePullSecrets: [{ name: 'registry' }],
  worker: { autoscaling: { relayLagSeconds: 5 } },
  api: { autoscaling: { enabled: false }, replicas: 3 },
  ingress: { enabled: true, className: 'nginx', tlsSecret: 'certificate', annotations: { a: 'b' } },
  settings: { HERALD_DELIVERY_LANE: 'auto' },
};
const named = (objects: KubernetesObject[], kind: string, name: string) =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);

test.each([
  ['the defaults', {}],
  ['everything set', everything],
])('with %s every object is valid by the schema of Kubernetes', (_name, values) => {
  for (const object of render(values) ?? []) {
    const validate = validatorFor(object);
    expect([object.kind, validate]).not.toContain(undefined);
    expect([object.kind, validate!(object) ? [] : validate!.errors]).toEqual([object.kind, []]);
  }
});

test('the chart’s pods are those of the plain manifests', () => {
  const objects = render();
  if (objects === null) return;
  const manifests = path.join(root, 'ops', 'kubernetes');
  for (const role of roleNames) {
    const plain = objectsOf(readFileSync(path.join(manifests, `${role}.yaml`), 'utf8')).find(
      ({ kind }) => kind === 'Deployment',
    )!;
    const ours = named(objects, 'Deployment', `shop-${role}`)!;
    const { imagePullPolicy: _policy, ...container } = ours['spec'].template.spec.containers[0];
    expect(container).toEqual({
      ...plain['spec'].template.spec.containers[0],
      image: `herald:${appVersion}`,
      envFrom: [{ configMapRef: { name: 'shop' } }, { secretRef: { name: 'herald' } }],
    });
    for (const part of ['terminationGracePeriodSeconds', 'securityContext', 'enableServiceLinks']) {
      expect(ours['spec'].template.spec[part]).toEqual(plain['spec'].template.spec[part]);
    }
    expect(ours['spec'].template.metadata.labels).toMatchObject(ours['spec'].selector.matchLabels);
    expect(named(objects, 'PodDisruptionBudget', `shop-${role}`)!['spec'].selector).toEqual(
      ours['spec'].selector,
    );
  }
});

test('its settings are enough to start in production, and a changed one restarts the pods', () => {
  const objects = render();
  if (objects === null) return;
  expect(
    loadConfig({
      ...(named(objects, 'ConfigMap', 'shop')!['data'] as Record<string, string>),
      NODE_ENV: 'production',
      DATABASE_URL: 'postgres://herald@postgres/herald',
      HERALD_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
      TELEGRAM_BOT_TOKEN: '',
      MAX_BOT_TOKEN: '',
    }),
  ).toMatchObject({ development: false, TEMPORAL_ADDRESS: 'temporal:7233' });
  const mark = (values: Values) =>
    named(render(values)!, 'Deployment', 'shop-worker')!['spec'].template.metadata.annotations[
      'herald/settings'
    ];
  expect(mark({ settings: { HERALD_LOG_LEVEL: 'debug' } })).not.toBe(mark({}));
});

test('values decide: replicas or an autoscaler, the relay’s lag, an ingress, a secret that must be named', () => {
  const objects = render(everything);
  if (objects === null) return;
  expect(named(objects, 'Deployment', 'shop-api')!['spec'].replicas).toBe(3);
  expect(named(objects, 'HorizontalPodAutoscaler', 'shop-api')).toBeUndefined();
  expect(named(objects, 'Deployment', 'shop-worker')!['spec'].replicas).toBeUndefined();
  const metrics = (given: KubernetesObject[]) =>
    named(given, 'HorizontalPodAutoscaler', 'shop-worker')!['spec'].metrics.map(
      ({ type }: { type: string }) => type,
    );
  expect(metrics(objects)).toEqual(['Resource', 'External']);
  expect(metrics(render()!)).toEqual(['Resource']);
  expect(named(objects, 'Ingress', 'shop-api')!['spec']).toMatchObject({
    ingressClassName: 'nginx',
    tls: [{ hosts: ['herald.example.com'], secretName: 'certificate' }],
  });
  expect(named(render()!, 'Ingress', 'shop-api')).toBeUndefined();
  expect(() => render({ existingSecret: '' })).toThrow(/existingSecret: name a Secret/);
});

test('Helm, where it is installed, renders the same objects', () => {
  const helm = [...(process.env['PATH'] ?? '').split(':'), path.join(homedir(), 'go', 'bin')]
    .map((directory) => path.join(directory, 'helm'))
    .find((file) => spawnSync(file, ['version']).status === 0);
  if (helm === undefined || renderer === undefined) return;
  const values = path.join(folder, 'values.json');
  writeFileSync(values, JSON.stringify(everything));
  execFileSync(helm, ['lint', '--strict', chart]);
  const rendered = execFileSync(
    helm,
    ['template', 'shop', chart, '--namespace', 'herald', '--kube-version', '1.31.0', '--values', values],
    { encoding: 'utf8' },
  );
  const sorted = (objects: KubernetesObject[]) =>
    objects.map((object) => JSON.stringify(object, sortKeys)).sort();
  expect(sorted(objectsOf(rendered))).toEqual(sorted(render(everything)!));
});

function sortKeys(_name: string, value: unknown): unknown {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;
}

test('the chart has the version of the service', () => {
  const service = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  expect([version, appVersion]).toEqual([service.version, service.version]);
});
