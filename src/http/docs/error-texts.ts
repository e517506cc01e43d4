import type { Language } from '../../contract/common';
import { errorTable, type ErrorCode, type ErrorEntry } from '../../contract/errors';
import { russianErrors } from './ru/errors';

/** What the documentation says about each error. */
export const errorTexts: Record<Language, Readonly<Record<ErrorCode, Pick<ErrorEntry, 'text' | 'help'>>>> = {
  en: errorTable,
  ru: russianErrors,
};
