import type { Servers } from './embedded/environment';
import { runService } from './main';

/** The service of `npm run dev`: it starts when it is told where the servers are, and ends with the process above it. */
process.once('message', (servers: Servers) => {
  void runService({ servers, onReady: (runtime) => process.send?.(runtime) }).then((code) => {
    process.exit(code);
  });
});
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
