import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import path from 'node:path';

/*
 * Loaded into Herald's process by `HERALD_BENCH_PROFILE`: the first SIGUSR2 begins a CPU profile, the next one writes it to that
 * folder. For Chrome's developer tools, or `node --cpu-prof` readers.
 */
const session = new Session();
session.connect();
let count = 0;
let isRunning = false;

process.on('SIGUSR2', () => {
  if (!isRunning) {
    isRunning = true;
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: 500 });
    session.post('Profiler.start');
    return;
  }
  isRunning = false;
  session.post('Profiler.stop', (_error, { profile }) => {
    const file = path.join(process.env['HERALD_BENCH_PROFILE'] ?? '.', `herald-${(count += 1)}.cpuprofile`);
    writeFileSync(file, JSON.stringify(profile));
  });
});
