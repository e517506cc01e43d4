import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Herald } from 'herald-sdk';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** URL and API key of Herald: from the environment, or from the service that `npm start` runs in this checkout. */
function settingsOf(env) {
  if (env.HERALD_URL && env.HERALD_API_KEY) {
    return { baseUrl: env.HERALD_URL, apiKey: env.HERALD_API_KEY };
  }
  const file = path.join(env.HERALD_DATA_DIR ?? path.join(checkout, '.herald'), 'runtime.json');
  if (existsSync(file)) {
    const { api_url: baseUrl, demo } = JSON.parse(readFileSync(file, 'utf8'));
    if (baseUrl && demo) return { baseUrl, apiKey: demo.api_key };
  }
  throw new Error('Set HERALD_URL and HERALD_API_KEY, or run "npm start" in another terminal first.');
}

export function findHerald(env = process.env) {
  const settings = settingsOf(env);
  return { herald: new Herald(settings), heraldUrl: settings.baseUrl.replace(/\/+$/, '') };
}
