/*
 * A small site that logs users in with Herald. `npm start` in the checkout runs it with the demo project; for a project of
 * yours:
 *
 *   HERALD_URL=… HERALD_API_KEY=… npm start     (here, after npm install)
 */
import { findHerald } from './herald.mjs';
import { startSite } from './site.mjs';

try {
  const { url, stop } = await startSite({ ...findHerald(), port: Number(process.env.PORT ?? 4000) });
  console.log(`The example site runs at ${url}`);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => void stop().finally(() => process.exit(0)));
  }
} catch (error) {
  console.error(error.code === 'EADDRINUSE' ? `Port ${error.port} is in use: set PORT.` : error.message);
  process.exit(1);
}
