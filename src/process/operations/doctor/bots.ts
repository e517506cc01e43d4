import { connectBot, type Messenger, type Platform, PlatformError, platforms } from '../../../domains/bots';
import type { WebhookRegistration } from '../../../domains/bots/queries/webhooks';
import { botWebhookPath } from '../../../domains/bots/webhook-intake';
import type { Settings } from '../../../base/config';
import type { Channel } from '../../../base/contract/common';
import { isoTime } from '../../../base/lib/iso-time';
import { guarded, notChecked, ok, problem, type Finding } from './check';

export interface BotCheckDeps {
  settings: Settings;
  /** Channels without a token run on the simulator; null: the service does not run, so it is not known. */
  simulated: boolean | null;
  updates: 'webhook' | 'polling';
  /** The bots role's last attempt to register the webhook; null if there is none or the database is unavailable. */
  registration: (channel: Channel) => Promise<WebhookRegistration | null>;
}

export async function checkBots(deps: BotCheckDeps): Promise<Finding[]> {
  const found = await Promise.all(platforms().map((platform) => checkBot(deps, platform)));
  return found.flat();
}

async function checkBot(deps: BotCheckDeps, platform: Platform): Promise<Finding[]> {
  const { settings, simulated } = deps;
  const channel = platform.name;
  const check = `bot ${channel}`;
  const tokenName = platform.settings.token.variable;
  const { token, apiRoot } = settings.platforms[channel] ?? {};
  if (!token || !apiRoot) {
    if (simulated === null) return [notChecked(check, 'the service does not run')];
    return [ok(check, simulated ? 'runs on the simulator' : `${tokenName} is not set: the channel is off`)];
  }
  let messenger: Messenger;
  try {
    messenger = await connectBot(platform, { token, apiRoot });
  } catch (error) {
    return [refused(check, tokenName, apiRoot, error), ...(await lastRegistration(deps, channel))];
  }
  const advice = 'Run doctor again in a minute: the platform may be busy.';
  const webhook = await guarded(`webhook ${channel}`, advice, () => checkWebhook(deps, messenger));
  return [ok(check, `connected as ${messenger.botName}`), ...webhook];
}

/** What is known of a webhook while its platform cannot be asked. */
async function lastRegistration(
  { updates, registration }: BotCheckDeps,
  channel: Channel,
): Promise<Finding[]> {
  if (updates === 'polling') return [];
  const last = await registration(channel).catch(() => null);
  const known = !last
    ? 'never registered'
    : `${last.error === null ? 'registered' : 'refused'} at ${isoTime(last.attempted_at)}`;
  return [notChecked(`webhook ${channel}`, `${known}; the platform cannot be asked now`)];
}

function refused(check: string, tokenName: string, root: string, error: unknown): Finding {
  const status = error instanceof PlatformError ? error.status : null;
  if (status === 401 || status === 403 || status === 404) {
    return problem(
      check,
      'the platform rejects the token',
      `Get a new token for the bot, set ${tokenName} and restart every process.`,
    );
  }
  return problem(
    check,
    `cannot reach the platform at ${new URL(root).host}`,
    'Check outbound connections of this machine. Logins and messages wait until the platform is reachable.',
  );
}

async function checkWebhook(
  { settings, updates, registration }: BotCheckDeps,
  messenger: Messenger,
): Promise<Finding> {
  const check = `webhook ${messenger.channel}`;
  const { urls, lastError } = await messenger.webhookState();
  if (updates === 'polling') {
    if (urls.length === 0) return ok(check, 'not set: updates are polled');
    return problem(
      check,
      `the platform sends updates to ${urls.map(hostOf).join(', ')}, so polling receives none`,
      'Restart the bots role to remove the webhook. Check whether another installation uses the same bot.',
    );
  }
  const expected = `${settings.HERALD_PUBLIC_URL ?? ''}${botWebhookPath(messenger.channel)}`;
  if (!urls.includes(expected)) {
    const now = urls.length === 0 ? 'no webhook is set' : `set to ${urls.map(hostOf).join(', ')}`;
    const last = await registration(messenger.channel).catch(() => null);
    const failed = last?.error ? `; the last attempt to register it failed: ${last.error}` : '';
    return problem(
      check,
      `${now}; expected ${expected}${failed}`,
      'The bots role registers it within minutes: check that it runs and read its log. Check whether another installation uses the same bot.',
    );
  }
  if (lastError === null) return ok(check, `set to ${expected}`);
  return problem(
    check,
    `set, but the last request of the platform failed: ${lastError}`,
    'Check that the public URL is reachable from the internet and has a valid certificate.',
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an unknown host';
}
