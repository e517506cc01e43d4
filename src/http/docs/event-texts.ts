import type { Language } from '../../contract/common';
import { eventRegistry, type EventName } from '../../events/contract';
import { russianEvents } from './ru/events';

/** What the documentation says about an event. */
export function eventText(name: EventName, language: Language): string {
  return language === 'ru' ? russianEvents[name] : eventRegistry[name].summary;
}
