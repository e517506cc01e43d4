import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { roleNames } from '../../../src/base/config';
import { loadConfig, settings } from '../../../src/process/settings';
import { validatorFor } from '../../support/chart/schema';

const root = path.join(__dirname, '..', '..', '..');
const folder = path.join(root, 'ops', 'kubernetes');

interface Container {
  name: string;
  image: string;
  args?: string[];
  env?: { name: string; value?: string }[];
  ports: { name: string; containerPort: number }[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  securityContext?: { readOnlyRootFilesystem?: boolean };
}
interface Probe {
  httpGet?: { path: string; port: string };
}
interface Manifest {
  file: string;
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
  spec: {
    selector?: { matchLabels?: Record<string, string> } & Record<string, unknown>;
    template: { metadata: { labels: Record<string, string> }; spec: { containers: Container[] } };
    ports?: { targetPort?: string }[];
    scaleTargetRef?: { name: string };
    serviceName?: string;
  };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
}

const manifests = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) =>
    parseAllDocuments(readFileSync(path.join(folder, file), 'utf8')).map(
      (document) => ({ file, ...document.toJS() }) as Manifest,
    ),
  );
const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
const byName = (kind: string, name: string) => ofKind(kind).find((each) => each.metadata.name === name);
const workloads = [...ofKind('Deployment'), ...ofKind('StatefulSet')];
const containerOf = (manifest: Manifest) => manifest.spec.template.spec.containers[0]!;
const ours = workloads.filter((workload) => containerOf(workload).image.startsWith('herald:'));

test.each(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
  '%s is valid by the schema of Kubernetes',
  (_name, { file: _file, ...manifest }) => {
    const validate = validatorFor(manifest);
    expect(validate).toBeDefined();
    expect(validate!(manifest) ? [] : validate!.errors).toEqual([]);
    // The schema is one that refuses things.
    expect(validate!({ ...manifest, specc: {} })).toBe(false);
  },
);

test('each role of the process has its deployment, as in docker-compose.yml', () => {
  expect(ours.map((each) => containerOf(each).args?.at(-1)).sort()).toEqual([...roleNames].sort());
  const compose = parse(readFileSync(path.join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
    services: Record<string, { image: string; build?: string; command?: string[] }>;
  };
  for (const workload of ours) {
    const { args } = containerOf(workload);
    expect(compose.services[args?.at(-1) ?? '']?.command).toEqual(args);
  }
  // What the others are built from is the same, down to the version.
  for (const name of ['postgres', 'temporal', 'temporal-ui']) {
    const workload = workloads.find((each) => each.metadata.name === name);
    expect(containerOf(workload!).image).toBe(compose.services[name]?.image);
  }
});

test('the settings exist and are enough to start in production', () => {
  const config = byName('ConfigMap', 'herald')?.data ?? {};
  const { POSTGRES_PASSWORD: _password, ...secrets } = byName('Secret', 'herald')?.stringData ?? {};
  const given = { ...config, ...secrets };
  expect(Object.keys(given).filter((name) => !(name in settings().shape))).toEqual([]);
  const key = Buffer.alloc(32).toString('base64');
  expect(loadConfig({ ...given, HERALD_ENCRYPTION_KEY: key, NODE_ENV: 'production' })).toMatchObject({
    development: false,
    HERALD_METRICS_PORT: 9464,
    PORT: 3000,
  });
});

test('the example holds no secret', () => {
  for (const value of Object.values(byName('Secret', 'herald')?.stringData ?? {})) {
    expect(value.replace('postgres://herald:change-me@postgres:5432/herald', '')).toMatch(/^(change-me)?$/);
  }
  expect(ofKind('Secret').every(({ file }) => file === 'secrets.example.yaml')).toBe(true);
});

test('probes ask for pages that exist, on ports that the container has, and liveness asks no other server', () => {
  for (const workload of ours) {
    const { ports, livenessProbe, readinessProbe, startupProbe, securityContext } = containerOf(workload);
    const names = ports.map(({ name }) => name);
    expect(ports).toContainEqual({ name: 'metrics', containerPort: 9464 });
    expect(livenessProbe?.httpGet).toEqual({ path: '/healthz', port: 'metrics' });
    expect(startupProbe?.httpGet).toEqual({ path: '/healthz', port: 'metrics' });
    expect(readinessProbe?.httpGet?.path).toBe('/readyz');
    expect(names).toContain(readinessProbe?.httpGet?.port);
    expect(securityContext?.readOnlyRootFilesystem).toBe(true);
  }
});

test('selectors select what is there: services, budgets and autoscalers name pods and deployments that exist', () => {
  const labels = workloads.map((each) => each.spec.template.metadata.labels);
  const selects = (selector: Record<string, unknown>) =>
    labels.some((set) => Object.entries(selector).every(([name, value]) => set[name] === value));
  for (const { spec } of ofKind('Service')) expect(selects({ ...spec.selector })).toBe(true);
  for (const { spec } of [...workloads, ...ofKind('PodDisruptionBudget')]) {
    expect(selects(spec.selector?.matchLabels ?? {})).toBe(true);
  }
  for (const { spec } of ofKind('HorizontalPodAutoscaler')) {
    expect(byName('Deployment', spec.scaleTargetRef?.name ?? '')).toBeDefined();
  }
  for (const workload of ours) expect(byName('PodDisruptionBudget', workload.metadata.name)).toBeDefined();
  for (const { metadata, kind } of manifests) {
    if (kind !== 'Namespace') expect(metadata.namespace).toBe('herald');
  }
});
