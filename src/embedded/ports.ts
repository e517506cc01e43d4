import { createServer } from 'node:net';
import { SetupError } from './setup-error';

const loopback = '127.0.0.1';

/** A port nobody listens on now; another process may still take it first, so the caller must be ready to try again. */
export function freePort(): Promise<number> {
  return bind(0);
}

/** Fails with the setting's name when someone else listens there already. */
export async function requireFreePort(port: number, setting: string, what: string): Promise<void> {
  try {
    await bind(port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw portInUse(port, setting, what);
    throw new SetupError(
      `Port ${port} cannot be used for ${what} (${code}); set ${setting} to another port.`,
    );
  }
}

export function portInUse(port: number, setting: string, what: string): SetupError {
  return new SetupError(
    `Port ${port} for ${what} is already in use; free it, or set ${setting} to another port (0 takes any free one).`,
  );
}

function bind(port: number): Promise<number> {
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
