import { createServer } from 'node:net';

const loopback = '127.0.0.1';

/** Returns a port that is free now. Another process may take it first, so the caller must be ready to retry. */
export function freePort(): Promise<number> {
  return bindOnce(0);
}

/** Binds the port on loopback, releases it and returns its number. Rejects if it cannot be bound. */
export function bindOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: loopback, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      server.close(() => resolve(bound));
    });
  });
}
