import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runWithCurl } from '../../support/curl';
import type { Installation } from '../../support/installation';
import { useService } from '../../support/use-service';

const readme = readFileSync(path.join(__dirname, '..', '..', '..', 'README.md'), 'utf8');

describe('the README', () => {
  let service: Installation;
  beforeAll(async () => {
    service = await useService();
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
    const { stdout } = await runWithCurl(script);
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
