import { randomInt } from 'node:crypto';
import net from 'node:net';

/** A TCP proxy that can be closed and reopened, to simulate an unreachable server. */
export interface TcpProxy {
  port: number;
  /** Closes all connections and refuses new ones. */
  close(): Promise<void>;
  open(): Promise<void>;
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

  /** Below the ports that the system assigns, so that no other server has taken the port when the proxy opens again. */
  async function listenFirst(): Promise<number> {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await listen(randomInt(20_000, 32_000));
      } catch (error) {
        if (attempts === 20) throw error;
      }
    }
  }

  const port = await listenFirst();
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
  };
}
