import { language } from '../texts';
import { auditEn, auditFieldsEn } from '../texts/audit-en';
import { auditFieldsRu, auditRu } from '../texts/audit-ru';

const catalogues = {
  en: { actions: auditEn, fields: auditFieldsEn },
  ru: { actions: auditRu, fields: auditFieldsRu },
};

/** What the audit log names, which comes with its page and not with the sign-in. Call it while rendering: the language can change. */
export const auditTexts = () => catalogues[language];
