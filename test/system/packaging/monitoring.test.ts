import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { confirmedSession } from '../login/fixture';
import { scrape } from '../operations/fixture';
import { eventually } from '../../support/eventually';
import { startTestService, type TestService } from '../../support/service';
import { createEndpoint, emitOne, scriptedReceiver, untilStatus } from '../webhooks/fixture';

const root = path.join(__dirname, '..', '..', '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; description: string };
}

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string }[];
}

const { groups } = parse(read('ops/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read('ops/grafana/herald.json')) as { panels: Panel[] };
const expressions = [
  ...rules.map((rule) => rule.expr),
  ...panels.flatMap((panel) => panel.targets ?? []).map((target) => target.expr),
];

/** Metric names of a PromQL expression: every word in front of labels or a range, or alone in parentheses. */
function metricNames(expr: string): string[] {
  const withoutLabels = expr.replaceAll(/\{[^}]*\}/g, ' ');
  return [...withoutLabels.matchAll(/\b(?:herald|temporal|process|nodejs)_\w+/g)].map(([name]) => name);
}

/** What a histogram's name becomes in a query. */
const baseName = (name: string) => name.replace(/_(bucket|sum|count)$/, '');

let service: TestService;
let exists: Map<string, string>;
beforeAll(async () => {
  // Its own: for its metrics since the start.
  service = await startTestService({ queues: ['logins', 'deliveries'] });
  const project = await service.createProject();
  await confirmedSession(service, project, 'monitoring');
  const receiver = await scriptedReceiver(200);
  const endpoint = await createEndpoint(project, receiver.url, { delivery_lane: 'workflow' });
  await untilStatus(project, await emitOne(service, project, endpoint.id), 'succeeded');
  await receiver.close();
  await project.api('GET', '/v1/webhooks/unknown');
  await failWorkflowTask();
  exists = (await scrape(service.service.operatorsUrl)).types;
});
afterAll(() => service?.stop());

/** The core shows this counter only once it counts: a workflow that no worker knows fails its task. */
async function failWorkflowTask(): Promise<void> {
  const options = {
    taskQueue: `${service.queuePrefix}-logins`,
    workflowId: `unknown/${service.queuePrefix}`,
  };
  const handle = await service.client.workflow.start('unknownWorkflow', options);
  await eventually(async () => {
    const { types } = await scrape(service.service.operatorsUrl);
    return types.has('temporal_workflow_task_execution_failed_total');
  });
  await handle.terminate();
}

test('the dashboard and the alerts ask only for metrics that exist', async () => {
  const asked = [...new Set(expressions.flatMap(metricNames))];
  expect(asked.length).toBeGreaterThan(15);
  // Some are shown only once they count, such as those of a workflow that ends after its delivery has succeeded.
  await eventually(async () => {
    const { types } = await scrape(service.service.operatorsUrl);
    expect(asked.filter((name) => !types.has(name) && !types.has(baseName(name)))).toEqual([]);
    return true;
  });
});

test('every metric of ours is on the dashboard', () => {
  const shown = new Set(expressions.flatMap(metricNames).map(baseName));
  const ours = [...exists.keys()].filter((name) => name.startsWith('herald_'));
  expect(ours.filter((name) => !shown.has(name))).toEqual([]);
});

test('every label that a query asks for is one that the metric has', async () => {
  const { text } = await scrape(service.service.operatorsUrl);
  const known = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, label]) => label));
  // Set by Prometheus.
  for (const label of ['job', 'instance']) known.add(label);
  const asked = expressions.flatMap((expr) => [
    ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/)),
    ...[...expr.matchAll(/[{,]\s*(\w+)\s*(?:=|!=|=~|!~)"/g)].map(([, label = '']) => label),
  ]);
  expect(asked.filter((label) => !known.has(label))).toEqual([]);
});

test('each alert has a name of its own, a severity, and says what to do', () => {
  expect(new Set(rules.map((rule) => rule.alert)).size).toBe(rules.length);
  for (const { alert, labels, annotations, for: patience } of rules) {
    expect(alert).toMatch(/^Herald[A-Z]\w+$/);
    expect(['page', 'ticket']).toContain(labels.severity);
    expect(annotations.summary.length).toBeGreaterThan(20);
    expect(annotations.description.length).toBeGreaterThan(20);
    if (patience !== undefined) expect(patience).toMatch(/^\d+m$/);
  }
});

test('parentheses and braces of every query are balanced', () => {
  for (const expr of expressions) {
    for (const [open, close] of ['()', '{}', '[]']) {
      expect({ expr, count: expr.split(open!).length }).toEqual({ expr, count: expr.split(close!).length });
    }
  }
});

test('panels have ids of their own and do not lie on each other', () => {
  expect(new Set(panels.map((panel) => panel.id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});
