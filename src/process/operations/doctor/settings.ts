import type { Settings } from '../../../base/config';
import { settingWarnings } from '../../../base/config/unsafe-settings';
import { ok, warning, type Finding } from './check';

/** The warnings that a start in production logs. */
export function checkSettings(settings: Settings, development: boolean): Finding[] {
  if (development) return [];
  const warnings = settingWarnings(settings);
  if (warnings.length === 0) return [ok('settings', 'none is unsafe')];
  return warnings.map((each) => warning('settings', each, 'See docs/security.md.'));
}
