import net from 'node:net';
import { errorTable, isRetryable, type ErrorCode } from '../../../src/base/contract/errors';

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** The whole promise about errors: the envelope, and the id under which the log has the request. */
export function expectError(answer: Answer, code: ErrorCode, message?: string | RegExp): void {
  expectEnvelope(answer, code, message);
  expect(answer.headers.get('x-request-id')).toBeTruthy();
}

/** The code's own status, exactly the envelope, JSON, and nothing of our inside. */
export function expectEnvelope(answer: Answer, code: ErrorCode, message?: string | RegExp): void {
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
  expect(JSON.stringify(answer.body)).not.toMatch(/\bat .*(\.ts|\.js):\d+|node_modules|<html/i);
  if ([425, 429, 503].includes(status)) {
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  }
}

/** What the server sends until it ends the connection. */
export function receiveAll(port: number, bytes: string, { thenEnd = false } = {}): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
      thenEnd ? socket.end(bytes) : socket.write(bytes),
    );
    socket.on('end', () => socket.end());
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (received += chunk));
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
}

/** Sends a large body as some clients do: the connection ends with the response, which is read only after all is sent. */
export async function sendLarge(
  url: string,
  key: string,
  bytes: number,
  connection: 'close' | 'keep-alive' = 'close',
): Promise<Answer> {
  const { hostname, port, pathname } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  const received = new Promise<string>((resolve, reject) => {
    let text = '';
    socket.setEncoding('utf8').pause();
    socket.on('data', (chunk: string) => (text += chunk));
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${hostname}`,
    `Connection: ${connection}`,
    'Content-Type: application/json',
    `Content-Length: ${bytes}`,
    `Authorization: Bearer ${key}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${'x'.repeat(bytes)}`, () => socket.resume());
  return parsedAnswer(await received);
}

/** Sends bytes that no HTTP library would send. */
export async function sendRaw(port: number, bytes: string, how?: { thenEnd: boolean }): Promise<Answer> {
  return parsedAnswer(await receiveAll(port, bytes, how));
}

function parsedAnswer(text: string): Answer {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: JSON.parse(body) as unknown };
}
