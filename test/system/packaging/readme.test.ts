import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { startTestService, type TestService } from '../../support/service';

const run = promisify(execFile);
const readme = readFileSync(path.join(__dirname, '..', '..', '..', 'README.md'), 'utf8');

/** Does what the README's calls need of curl, so that the test does not depend on the machine's. */
const curl = `
const args = process.argv.slice(1), headers = {};
let url, body;
while (args.length) {
  const next = args.shift();
  if (next === '-H') { const [name, value] = args.shift().split(': '); headers[name] = value; }
  else if (next === '-d') body = args.shift();
  else if (next !== '-s') url = next;
}
fetch(url, { method: body ? 'POST' : 'GET', headers, body }).then((r) => r.text()).then((t) => console.log(t));
`;

describe('the README', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  it('shows a first login that works as it is printed', async () => {
    const [, block = ''] = /<!-- the tests run this block[^]*?```sh\n([^]*?)```/.exec(readme) ?? [];
    const { api_key } = await service.createProject();
    const values = { API: service.url, PHONE: service.simulator.url, KEY: api_key };
    const script = Object.entries(values).reduce((text, [name, value]) => {
      expect(text).toMatch(new RegExp(`^${name}=`, 'm'));
      return text.replace(new RegExp(`^${name}=\\S+`, 'm'), `${name}=${value}`);
    }, block);
    const { stdout } = await run('bash', ['-euc', `curl() { node -e "$CURL" -- "$@"; }\n${script}`], {
      env: { ...process.env, CURL: curl },
    });
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({
      subscriber_id: expect.any(String),
      channel: 'telegram',
      first_name: 'Anna',
      username: null,
      lang: 'en',
      tags: [],
    });
  });
});
