import { startTestService, type TestService } from '../../support/service';

describe('the log of the API', () => {
  const lines: string[] = [];
  let service: TestService;

  beforeAll(async () => {
    // Its own: its log.
    service = await startTestService({ roles: 'api', logLines: lines });
  });
  afterAll(() => service.stop());

  it('has one line for each request, with the project and the request id, and never a key', async () => {
    const { api, api_key, id } = await service.createProject();
    lines.length = 0;
    const answer = await api('GET', '/v1/event-types');
    await api('POST', '/v1/webhooks', { url: 'https://user:hunter2@example.com/' });
    await service.apiWith(`${api_key}x`)('GET', '/v1/event-types');
    const requests = lines.map((line) => JSON.parse(line)).filter((line) => line.msg === 'request');
    expect(requests).toHaveLength(3);
    expect(requests[0]).toMatchObject({
      request_id: answer.headers.get('x-request-id'),
      method: 'GET',
      route: '/v1/event-types',
      status: 200,
      project_id: id,
    });
    expect(requests[1]).toMatchObject({ status: 400, error_code: 'invalid_url' });
    expect(requests[2]).toMatchObject({ status: 401, error_code: 'invalid_api_key' });
    expect(lines.join()).not.toContain(api_key);
    expect(lines.join()).not.toContain('hunter2');
  });
});
