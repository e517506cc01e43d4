import { language } from '../texts';
import { formsEn, type FormsTexts } from '../texts/forms-en';
import { formsRu } from '../texts/forms-ru';

const catalogues: Record<typeof language, FormsTexts> = { en: formsEn, ru: formsRu };

/** The texts of the forms, which come with their pages and not with the sign-in. Call it while rendering: the language can change. */
export const words = (): FormsTexts => catalogues[language];
