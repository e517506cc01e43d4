import type { Simulator } from '../../../src/local/simulator';
import { simulatorLink } from '../../../src/local/simulator';
import { eventually } from '../../support/eventually';
import { startTestSimulator } from '../../support/simulator';
import { testBots } from '../../support/simulator-control';
import { controlOf } from './fixture';

let simulator: Simulator;

beforeEach(async () => {
  simulator = await startTestSimulator();
});
afterEach(() => simulator.stop());

test('a link opens the page of its channel, which holds no script or style of its own or of another site', async () => {
  const link = simulatorLink(simulator.url, 'telegram', 's_abc');
  expect(link).toBe(`${simulator.url}/telegram?start=s_abc`);
  for (const address of [simulator.url, link, simulatorLink(simulator.url, 'max', 's_abc')]) {
    const response = await fetch(address);
    const html = await response.text();
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i);
    const assets = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => String(match[1]));
    for (const asset of assets) {
      expect(asset).toMatch(/^\//);
      expect((await fetch(new URL(asset, simulator.url))).status).toBe(200);
    }
  }
  for (const module of ['texts.js', 'messages.js']) {
    expect((await fetch(`${simulator.url}/assets/${module}`)).headers.get('content-type')).toContain(
      'javascript',
    );
  }
});

test('the page hears of every change of the chat', async () => {
  const stop = new AbortController();
  const response = await fetch(`${simulator.url}/control/max/users/demo/events`, { signal: stop.signal });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const reader = response.body?.getReader();
  const read = async () => new TextDecoder().decode((await reader?.read())?.value);
  expect(await read()).toContain('"messages":[]');
  await controlOf(simulator, 'max').user('demo').say('hello');
  expect(await read()).toContain('"text":"hello"');
  stop.abort();
});

test('the control API explains what it cannot do and refuses other sites', async () => {
  const control = controlOf(simulator, 'telegram');
  expect(await control.user('demo').tap({ button: 'Yes' })).toEqual({
    status: 404,
    body: { error: 'there is no message with buttons' },
  });
  expect((await control.post('/users/demo/dance')).status).toBe(404);
  expect((await control.post('/faults', {})).status).toBe(400);
  expect((await control.user('demo').say(' ')).status).toBe(400);
  const broken = await fetch(`${control.base}/users/demo/say`, { method: 'POST', body: '{' });
  expect([broken.status, await broken.json()]).toEqual([400, { error: 'the body is not JSON' }]);
  const foreign = await fetch(`${control.base}/users/demo/block`, {
    method: 'POST',
    headers: { origin: 'https://elsewhere.example' },
  });
  expect(foreign.status).toBe(403);
});

test('a name is the same person in every run and a restart repeats no update id', async () => {
  const first = controlOf(simulator, 'telegram');
  const { body } = await first.user('anna').open();
  const before = await updateIds(simulator);
  await simulator.stop();
  // Ids follow the clock in tenths of a second, which is less than any process takes to start.
  const stopped = Date.now();
  await eventually(() => Date.now() - stopped > 100);
  simulator = await startTestSimulator();
  const second = controlOf(simulator, 'telegram');
  expect((await second.user('anna').open()).body.user_id).toBe(body.user_id);
  expect(Math.min(...(await updateIds(simulator)))).toBeGreaterThan(Math.max(...before));
});

async function updateIds({ url }: Simulator): Promise<number[]> {
  const response = await fetch(`${url}/bot${testBots.telegram.token}/getUpdates`);
  const { result } = (await response.json()) as { result: Array<{ update_id: number }> };
  return result.map(({ update_id }) => update_id);
}
