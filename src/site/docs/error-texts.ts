import type { Language } from '../../base/contract/common';
import { errorTable, type ErrorCode, type ErrorEntry } from '../../base/contract/errors';
import { russian } from './russian';

/** The documentation of an error. */
export function errorText(code: ErrorCode, language: Language): Pick<ErrorEntry, 'text' | 'help'> {
  const { text, help } = errorTable[code];
  return language === 'ru' ? { text: russian.error(text), help: russian.error(help) } : { text, help };
}
