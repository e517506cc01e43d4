import { language } from '../texts';
import { inboxEn, type InboxTexts } from '../texts/inbox-en';
import { inboxRu } from '../texts/inbox-ru';

const catalogues: Record<typeof language, InboxTexts> = { en: inboxEn, ru: inboxRu };

/** The texts of the inbox, which come with its pages and not with the sign-in. Call it while rendering: the language can change. */
export const words = (): InboxTexts => catalogues[language];
