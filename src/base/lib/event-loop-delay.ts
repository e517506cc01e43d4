import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

const RESOLUTION_MS = 10;
/** 1 is the longest. */
const QUANTILES = [0.5, 0.99, 1];

/** How late the process comes to its work, since the last scrape: a loop that computes for long delays everything else. */
export function reportEventLoopDelay(registry: Registry): void {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  new Gauge({
    name: 'herald_event_loop_delay_seconds',
    help: 'Delay of the event loop since the last scrape, by quantile; quantile 1 is the longest.',
    labelNames: ['quantile'],
    registers: [registry],
    collect() {
      for (const quantile of QUANTILES) {
        const measured = histogram.count > 0 ? histogram.percentile(quantile * 100) / 1e6 : 0;
        // The histogram measures the time between two samples.
        this.set({ quantile: String(quantile) }, Math.max(0, measured - RESOLUTION_MS) / 1000);
      }
      histogram.reset();
    },
  });
}
