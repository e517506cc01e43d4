import { language } from './texts';
import { pagesEn } from './texts/pages-en';
import { pagesRu } from './texts/pages-ru';

const catalogues = { en: pagesEn, ru: pagesRu };

/** Texts that come with the pages and not with the sign-in. Call it while rendering: the language can change. */
export const pageTexts = () => catalogues[language];
