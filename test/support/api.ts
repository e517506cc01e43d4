import { readText } from './read-text';

export interface ApiResponse<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: T;
}

/** Calls the API like a project's backend. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read what they asserted
export type Api = <T = any>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<ApiResponse<T>>;

function isSentAsIs(body: unknown): body is string | Buffer<ArrayBuffer> {
  return typeof body === 'string' || Buffer.isBuffer(body);
}

/** `always` is sent with every request. */
export function createApi(url: string, key: string | null, always: Record<string, string> = {}): Api {
  return async <T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...always,
        ...headers,
      },
      ...(body === undefined ? {} : { body: isSentAsIs(body) ? body : JSON.stringify(body) }),
    });
    const text = await readText(response);
    const json = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      body: (json ? JSON.parse(text) : text) as T,
    };
  };
}
