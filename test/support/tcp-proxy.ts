import net from 'node:net';
import { stablePort } from './stable-port';

/** A TCP proxy that can be closed, reopened, slowed down and pointed elsewhere, to simulate the network and a failover. */
export interface TcpProxy {
  port: number;
  /** Closes all connections and refuses new ones. */
  close(): Promise<void>;
  open(): Promise<void>;
  /** Passes nothing more on the connections of now, without closing them. */
  silence(): void;
  /** From now on, everything passes this much later, in each direction. */
  delay(ms: number): void;
  /** New connections go to this port. */
  retarget(port: number): void;
}

export async function startTcpProxy(firstTarget: number): Promise<TcpProxy> {
  const sockets = new Set<net.Socket>();
  const silenced = new WeakSet<net.Socket>();
  let server: net.Server | null = null;
  let targetPort = firstTarget;
  let delayMs = 0;

  function pass(client: net.Socket): void {
    const target = net.connect(targetPort, '127.0.0.1');
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      relay(socket, other);
    }
  }

  /** As a pipe, with the delay of the moment; the order stays when the delay changes. */
  function relay(from: net.Socket, to: net.Socket): void {
    const late: { due: number; chunk: Buffer | null }[] = [];
    let timer: NodeJS.Timeout | undefined;
    const deliver = (chunk: Buffer | null) => {
      if (chunk === null) return void to.end();
      if (to.write(chunk)) return;
      from.pause();
      to.once('drain', () => silenced.has(from) || from.resume());
    };
    const drain = () => {
      timer = undefined;
      for (let next = late[0]; next && next.due <= performance.now(); next = late[0]) {
        deliver(next.chunk);
        late.shift();
      }
      if (late[0]) timer = setTimeout(drain, Math.max(1, late[0].due - performance.now()));
    };
    const accept = (chunk: Buffer | null) => {
      if (delayMs === 0 && late.length === 0) return deliver(chunk);
      late.push({ due: performance.now() + delayMs, chunk });
      timer ??= setTimeout(drain, delayMs);
    };
    from.on('data', accept);
    from.on('end', () => accept(null));
    from.on('close', () => clearTimeout(timer));
  }

  async function listen(port: number): Promise<number> {
    const next = net.createServer({ allowHalfOpen: true }, pass);
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
      for (const socket of sockets) {
        silenced.add(socket);
        socket.pause();
      }
    },
    delay(ms) {
      delayMs = ms;
    },
    retarget(next) {
      targetPort = next;
    },
  };
}
