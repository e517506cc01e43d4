import type { Language } from '../../base/contract/common';
import { eventRegistry, type EventName } from '../../domains/events/contract';
import { russian } from './russian';

/** What the documentation says about an event. */
export function eventText(name: EventName, language: Language): string {
  const { summary } = eventRegistry[name];
  return language === 'ru' ? russian.event(summary) : summary;
}
