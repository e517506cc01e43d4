import { startTestService, type TestService } from '../../support/service';

describe('an endpoint without local receivers', () => {
  let strict: TestService;
  beforeAll(async () => {
    // Its own: the resident one allows local receivers.
    strict = await startTestService({ roles: 'api', env: { HERALD_ALLOW_LOCAL_WEBHOOKS: 'false' } });
  });
  afterAll(() => strict?.stop());

  // A few of each kind: the whole list of spellings is tested beside the code that knows them.
  test.each([
    'http://example.com/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://localhost./',
    'https://169.254.169.254/latest/meta-data/',
    'https://100.64.0.1/',
    'https://metadata.google.internal/',
  ])('%s cannot be saved', async (forbidden) => {
    const own = await strict.createProject();
    const created = await own.api('POST', '/v1/webhooks', { url: forbidden });
    expect([created.status, created.body.code]).toEqual([400, 'invalid_url']);
    expect(created.body.error).toMatch(/^url: /);
  });
});
