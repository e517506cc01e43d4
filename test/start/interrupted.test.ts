import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from '../../src/local/process-identity';
import { createApi } from '../support/api';
import { eventually } from '../support/eventually';
import { npmStarts, recordedChildren } from '../support/npm-start';

jest.setTimeout(180_000);

describe('npm start that is interrupted, killed or has no room', () => {
  const starts = npmStarts();
  const { start } = starts;

  it('gives up cleanly on Ctrl-C in the middle of the set-up', async () => {
    const herald = start();
    await eventually(() => herald.stderr().includes('starting the Temporal server'), 60_000);
    herald.signalGroup('SIGINT');
    await herald.allGone();
    expect((await herald.finished).stdout).not.toContain('api_url');
    expect(herald.stderr()).not.toMatch(/"level":"(error|fatal)"/);
  });

  it('leaves at once on a second Ctrl-C, and takes the embedded servers with it', async () => {
    const herald = start({ HERALD_SHUTDOWN_SECONDS: '300' });
    const { api_url, demo } = await herald.ready();
    // A request whose body never comes keeps an orderly stop waiting for five minutes.
    const { port } = new URL(api_url ?? '');
    const socket = net.connect(Number(port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `POST /v1/webhooks HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${demo?.api_key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n',
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toContain('100 Continue');
    herald.signalGroup('SIGINT');
    await eventually(() => herald.stderr().includes('"stopping"'));
    // Within a second it would count as the first one, which npm and the terminal both pass on.
    await sleep(1_200);
    herald.signalGroup('SIGINT');
    await herald.allGone();
    expect(herald.stderr()).toContain('exiting immediately');
    socket.destroy();
  });

  it('starts again after everything of it was killed, and stops what was left', async () => {
    const killed = start();
    const before = await killed.ready();
    const left = recordedChildren(starts.dataDir);
    expect(left).toHaveLength(2);
    killed.signalGroup('SIGKILL');
    await killed.finished;
    expect(left.some(isRunning)).toBe(true);

    const next = start({}, ['--roles', 'api']);
    const after = await next.ready();
    expect(left.some(isRunning)).toBe(false);
    expect(after.demo).toEqual(before.demo);
    const api = createApi(String(after.api_url), after.demo?.api_key ?? null);
    expect((await api('GET', '/v1/event-types')).status).toBe(200);
    // The URL of the killed site is gone.
    const { body } = await api('GET', '/v1/project');
    expect(body).toMatchObject({ callback_url: `${after.demo_url}/callback`, redirect_urls: [] });
    next.signalNpm('SIGTERM');
    await next.allGone();
  });

  it('says which port is in use, by the name of its setting', async () => {
    const taken = net.createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const port = String((taken.address() as net.AddressInfo).port);
    try {
      for (const name of [
        'PORT',
        'HERALD_SIMULATOR_PORT',
        'HERALD_POSTGRES_PORT',
        'HERALD_TEMPORAL_UI_PORT',
      ]) {
        const herald = start({ [name]: port });
        const { code, stderr } = await herald.finished;
        expect({ name, code }).toEqual({ name, code: 69 });
        expect(stderr).toMatch(
          new RegExp(`Port ${port} for .* is already in use; free it, or set ${name} to another`),
        );
        await herald.allGone();
      }
    } finally {
      taken.close();
    }
  });
});
