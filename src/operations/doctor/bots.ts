import { createMaxMessenger } from '../../bots/max/messenger';
import type { Messenger } from '../../bots/messenger';
import { PlatformError } from '../../bots/platform-error';
import { createTelegramMessenger } from '../../bots/telegram/messenger';
import { botWebhookPath } from '../../bots/webhook-intake';
import type { Settings } from '../../config';
import { channels, type Channel } from '../../contract/common';
import { guarded, ok, problem, type Finding } from './check';

export interface BotCheckDeps {
  settings: Settings;
  /** Channels without a token run on the simulator. */
  simulated: boolean;
  updates: 'webhook' | 'polling';
}

const names: Record<
  Channel,
  { token: 'TELEGRAM_BOT_TOKEN' | 'MAX_BOT_TOKEN'; root: 'TELEGRAM_API_ROOT' | 'MAX_API_ROOT' }
> = {
  telegram: { token: 'TELEGRAM_BOT_TOKEN', root: 'TELEGRAM_API_ROOT' },
  max: { token: 'MAX_BOT_TOKEN', root: 'MAX_API_ROOT' },
};

const create = { telegram: createTelegramMessenger, max: createMaxMessenger };

export async function checkBots(deps: BotCheckDeps): Promise<Finding[]> {
  const found = await Promise.all(channels.map((channel) => checkBot(deps, channel)));
  return found.flat();
}

async function checkBot(deps: BotCheckDeps, channel: Channel): Promise<Finding[]> {
  const { settings, simulated } = deps;
  const check = `bot ${channel}`;
  const { token: tokenName, root } = names[channel];
  const token = settings[tokenName];
  if (!token) {
    return [ok(check, simulated ? 'runs on the simulator' : `no ${tokenName}: the channel is not offered`)];
  }
  let messenger: Messenger;
  try {
    messenger = await create[channel]({ token, apiRoot: settings[root] });
  } catch (error) {
    return [refused(check, tokenName, settings[root], error)];
  }
  const advice = 'Ask again in a minute: the platform may be busy.';
  const webhook = await guarded(`webhook ${channel}`, advice, () => checkWebhook(deps, messenger));
  return [ok(check, `the platform knows it as ${messenger.botName}`), ...webhook];
}

function refused(check: string, tokenName: string, root: string, error: unknown): Finding {
  const status = error instanceof PlatformError ? error.status : null;
  if (status === 401 || status === 403 || status === 404) {
    return problem(
      check,
      'the platform does not accept the token',
      `Get a new one for the bot, put it into ${tokenName} and restart every process.`,
    );
  }
  return problem(
    check,
    `the platform does not answer at ${new URL(root).host}`,
    'See whether this machine may go out to it; logins and messages wait meanwhile.',
  );
}

async function checkWebhook({ settings, updates }: BotCheckDeps, messenger: Messenger): Promise<Finding> {
  const check = `webhook ${messenger.channel}`;
  const { urls, lastError } = await messenger.webhookState();
  if (updates === 'polling') {
    if (urls.length === 0) return ok(check, 'none: updates are polled for');
    return problem(
      check,
      `the platform delivers to ${urls.map(hostOf).join(', ')}, so that polling brings nothing`,
      'Restart the bots role, which takes the webhook away; another installation may use the same bot.',
    );
  }
  const expected = `${settings.HERALD_PUBLIC_URL ?? ''}${botWebhookPath(messenger.channel)}`;
  if (!urls.includes(expected)) {
    const now = urls.length === 0 ? 'nowhere' : `to ${urls.map(hostOf).join(', ')}`;
    return problem(
      check,
      `the platform delivers ${now}, not to ${expected}`,
      'Restart the bots role, which sets the webhook; another installation may use the same bot.',
    );
  }
  if (lastError === null) return ok(check, `set to ${expected}`);
  return problem(
    check,
    `set, and the platform's last delivery failed: ${lastError}`,
    'See whether the public URL can be reached from outside, with a valid certificate.',
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an unreadable address';
}
