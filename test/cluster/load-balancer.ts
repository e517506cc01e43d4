import net from 'node:net';
import { stablePort } from '../support/stable-port';

/** One address for several processes. Each connection goes to the next one that accepts it. */
export interface LoadBalancer {
  url: string;
  /** No new connections for this process, which finishes what it has. */
  drain(port: number): void;
  join(port: number): void;
  close(): Promise<void>;
}

export async function startLoadBalancer(): Promise<LoadBalancer> {
  const targets: number[] = [];
  const sockets = new Set<net.Socket>();
  let turn = 0;

  function connect(client: net.Socket, candidates: number[]): void {
    const [port, ...others] = candidates;
    if (port === undefined) return void client.destroy();
    const target = net.connect(port, '127.0.0.1');
    let isConnected = false;
    target.once('connect', () => {
      isConnected = true;
      client.pipe(target).pipe(client);
    });
    target.on('error', () => {
      // Nothing was sent yet, so the next process can have the connection.
      if (isConnected) client.destroy();
      else connect(client, others);
    });
    target.on('close', () => isConnected && client.destroy());
    client.on('close', () => target.destroy());
  }

  const server = net.createServer({ pauseOnConnect: true }, (client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    client.on('close', () => sockets.delete(client));
    turn += 1;
    connect(
      client,
      targets.map((_, at) => targets[(turn + at) % targets.length] as number),
    );
  });
  const port = await stablePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    drain: (gone) => void targets.splice(targets.indexOf(gone) >>> 0, 1),
    join(next) {
      if (!targets.includes(next)) targets.push(next);
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
