import { errorTable, isRetryable, type ErrorCode } from '../../../src/contract/errors';

interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** The whole promise about errors: its own status, exactly the envelope, JSON, and nothing of our inside. */
export function expectError(answer: Answer, code: ErrorCode, message?: string | RegExp): void {
  const { status } = errorTable[code];
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: {
      error: message === undefined ? expect.any(String) : expect.stringMatching(message),
      code,
      retryable: isRetryable(code),
      docs_url: expect.stringMatching(new RegExp(`^https?://[^#]+#${code}$`)),
    },
  });
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('x-request-id')).toBeTruthy();
  expect(JSON.stringify(answer.body)).not.toMatch(/\bat .*(\.ts|\.js):\d+|node_modules|<html/i);
  if ([425, 429, 503].includes(status)) {
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  }
}
