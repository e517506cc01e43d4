import type { MessengerSettings } from '../../base/config/messengers';
import { platforms } from './registry';

/** The settings of all messengers. */
export function messengerSettings(): MessengerSettings[] {
  return platforms().map(({ name, settings, miniApp }) => ({ name, ...settings, miniApp: miniApp?.setting }));
}
