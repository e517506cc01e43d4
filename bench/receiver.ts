import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** The receiver of a benchmark's POSTs, in its own process. `/hang` never responds. */
export interface BenchReceiver {
  url: string;
  /** The arrival times (`wallClock`, in milliseconds) of each id since the last call. */
  take(): Promise<Map<string, number[]>>;
  stop(): Promise<void>;
}

/** More precise than Date.now(), and comparable between processes of the machine. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now();
}

export async function startBenchReceiver(): Promise<BenchReceiver> {
  const child: ChildProcess = fork(__filename);
  const next = async <T>() => ((await once(child, 'message')) as [T])[0];
  const port = await next<number>();
  return {
    url: `http://127.0.0.1:${port}`,
    async take() {
      child.send('take');
      return new Map(await next<[string, number[]][]>());
    },
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

function serve(): void {
  const arrivals = new Map<string, number[]>();
  const server = http.createServer((req, res) => {
    req.resume().on('end', () => {
      const id = String(req.headers['x-service-delivery-id']);
      arrivals.set(id, [...(arrivals.get(id) ?? []), wallClock()]);
      if (req.url?.startsWith('/hang')) return;
      res.end();
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('message', () => {
    process.send?.([...arrivals]);
    arrivals.clear();
  });
  process.on('disconnect', () => process.exit());
}

if (require.main === module) serve();
