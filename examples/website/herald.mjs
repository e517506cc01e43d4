import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** URL and API key of Herald: from the environment, or from the service that `npm start` runs in this directory. */
export function findHerald(env = process.env) {
  if (env.HERALD_URL && env.HERALD_API_KEY) {
    return { url: env.HERALD_URL.replace(/\/$/, ''), key: env.HERALD_API_KEY };
  }
  const file = path.join(env.HERALD_DATA_DIR ?? '.herald', 'runtime.json');
  if (existsSync(file)) {
    const { api_url: url, demo } = JSON.parse(readFileSync(file, 'utf8'));
    if (url && demo) return { url, key: demo.api_key };
  }
  throw new Error('Set HERALD_URL and HERALD_API_KEY, or run "npm start" in another terminal first.');
}

/** The API calls that a site needs. */
export function createHerald({ url, key }) {
  async function call(method, route, body) {
    const response = await fetch(url + route, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const received = await response.json();
    if (!response.ok)
      throw Object.assign(new Error(received.error), { code: received.code, status: response.status });
    return received;
  }
  return {
    project: () => call('GET', '/v1/project'),
    changeProject: (changes) => call('PATCH', '/v1/project', changes),
    staticLinks: () => call('GET', '/v1/auth/link'),
    createSession: (session) => call('POST', '/v1/auth/session', session),
    status: (id) => call('GET', `/v1/auth/session/${id}/status?wait=20`),
    verify: (code, verifier) =>
      call('POST', '/v1/auth/verify', { code, ...(verifier && { code_verifier: verifier }) }),
  };
}
