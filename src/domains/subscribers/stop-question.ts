import { type OutgoingMessage, botTexts } from '../bots';
import type { Language } from '../../base/contract/common';
import { isUuid } from '../../base/contract/ids';
import type { Subscription } from './queries/subscriptions';

/** With `All` they fit the messengers' limits; a user with more of them asks again. */
const LISTED = 20;
const BUTTON_LENGTH = 60;
const PREFIX = 'stop:';
const ALL = 'all';

/** Asks which of several projects should stop sending. */
export function stopQuestion(lang: Language, subscriptions: Subscription[]): OutgoingMessage {
  const texts = botTexts[lang];
  const choices = subscriptions
    .slice(0, LISTED)
    .map(({ project_id, project_name }) => [{ text: label(project_name), data: PREFIX + project_id }]);
  return {
    text: texts.whichToUnsubscribe,
    buttons: [...choices, [{ text: texts.all, data: PREFIX + ALL }]],
  };
}

/** Null for any other button. `projectId` is null for all projects. */
export function parseStopChoice(data: string): { projectId: string | null } | null {
  if (!data.startsWith(PREFIX)) return null;
  const chosen = data.slice(PREFIX.length);
  if (chosen === ALL) return { projectId: null };
  return isUuid(chosen) ? { projectId: chosen } : null;
}

function label(name: string): string {
  const characters = [...name];
  return characters.length > BUTTON_LENGTH ? `${characters.slice(0, BUTTON_LENGTH).join('')}…` : name;
}
