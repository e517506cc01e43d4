import net from 'node:net';
import { stablePort } from './stable-port';

/** A TCP proxy that can be closed and reopened, to simulate an unreachable server. */
export interface TcpProxy {
  port: number;
  /** Closes all connections and refuses new ones. */
  close(): Promise<void>;
  open(): Promise<void>;
  /** Passes nothing more on the connections of now, without closing them. */
  silence(): void;
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<net.Socket>();
  let server: net.Server | null = null;

  function pass(client: net.Socket): void {
    const target = net.connect(targetPort, '127.0.0.1');
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }

  async function listen(port: number): Promise<number> {
    const next = net.createServer(pass);
    await new Promise<void>((resolve, reject) => {
      next.once('error', reject);
      next.listen(port, '127.0.0.1', resolve);
    });
    server = next;
    return (next.address() as net.AddressInfo).port;
  }

  const port = await listen(await stablePort());
  return {
    port,
    async close() {
      const closing = server;
      if (!closing) return;
      server = null;
      const closed = new Promise<void>((resolve) => closing.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async open() {
      if (!server) await listen(port);
    },
    silence() {
      for (const socket of sockets) socket.unpipe().pause();
    },
  };
}
