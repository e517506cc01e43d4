import { api, type MessengerView } from './api';
import { language } from './texts';

let known: MessengerView[] = [];

/** Called once, before the first page is shown. */
export async function loadMessengers(): Promise<void> {
  known = (await api.messengers()).data;
}

/** The messengers that this installation knows, with and without a bot. */
export function messengers(): readonly MessengerView[] {
  return known;
}

export function findMessenger(channel: string): MessengerView | undefined {
  return known.find((messenger) => messenger.channel === channel);
}

/** For a preview that shows one messenger. */
export function firstChannel(): string {
  return known[0]?.channel ?? '';
}

/** Its name in the page's language. */
export function messengerName(channel: string): string {
  return findMessenger(channel)?.label[language] ?? channel;
}

export function messengerOptions(): { value: string; text: string }[] {
  return known.map(({ channel, label }) => ({ value: channel, text: label[language] }));
}

/** The link of each messenger that has one, as the API names them: `<channel>_link`. */
export function messengerLinks(links: Record<`${string}_link`, string | null>) {
  return known.flatMap(({ channel, label }) => {
    const link = links[`${channel}_link`] ?? null;
    return link === null ? [] : [{ channel, name: label[language], link }];
  });
}
