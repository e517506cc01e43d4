import type { Servers } from '../local/environment';
import { runService } from '../main';

/** The service of `npm run dev`: starts when it receives the server addresses, and exits with its parent process. */
process.once('message', (servers: Servers) => {
  void runService({ servers, onReady: (started) => process.send?.(started) }).then((code) => {
    process.exit(code);
  });
});
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
