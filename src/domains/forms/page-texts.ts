import type { Language } from '../../base/contract/common';

/** The copy of the page of a form. */
interface FormTexts {
  send: string;
  optional: string;
  choose: string;
  /** Above a form with wrong answers. */
  faults: string;
  thanksTitle: string;
  thanksText(project: string): string;
  notFoundTitle: string;
  notFoundText: string;
  expiredTitle: string;
  expiredText: string;
  closedTitle: string;
  closedText(project: string): string;
  tooManyTitle: string;
  tooManyText: string;
  blockedTitle: string;
  blockedText: string;
  trap: string;
  language: string;
  privacy: string;
}

const en: FormTexts = {
  send: 'Send',
  optional: 'optional',
  choose: 'Choose…',
  faults: 'Some answers need another look.',
  thanksTitle: 'Thank you',
  thanksText: (project) => `${project} has received your answers. You can close this page.`,
  notFoundTitle: 'Form not found',
  notFoundText: 'The link is incomplete, or the form is closed.',
  expiredTitle: 'This link has expired',
  expiredText: 'Ask for a new link where you got this one.',
  closedTitle: 'Fill in this form on the website',
  closedText: (project) =>
    `${project} takes answers on its own website only. Open the form there, or use your personal link.`,
  tooManyTitle: 'Too many submissions',
  tooManyText: 'Your answers were not sent. Go back and try again in a minute.',
  blockedTitle: 'This form is temporarily unavailable',
  blockedText: 'Your answers were not sent. Try again later.',
  trap: 'Leave this field empty',
  language: 'Language',
  privacy: 'Privacy policy',
};

const ru: FormTexts = {
  send: 'Отправить',
  optional: 'необязательно',
  choose: 'Выберите…',
  faults: 'Проверьте ответы: в некоторых есть ошибки.',
  thanksTitle: 'Спасибо',
  thanksText: (project) => `Ваши ответы отправлены в «${project}». Страницу можно закрыть.`,
  notFoundTitle: 'Форма не найдена',
  notFoundText: 'Ссылка неполная, или форма закрыта.',
  expiredTitle: 'Ссылка больше не действует',
  expiredText: 'Попросите новую там, где получили эту.',
  closedTitle: 'Заполните форму на сайте',
  closedText: (project) =>
    `«${project}» принимает ответы только на своём сайте. Откройте форму там или по личной ссылке.`,
  tooManyTitle: 'Слишком много отправок',
  tooManyText: 'Ответы не отправлены. Вернитесь назад и попробуйте через минуту.',
  blockedTitle: 'Форма временно недоступна',
  blockedText: 'Ответы не отправлены. Попробуйте позже.',
  trap: 'Оставьте это поле пустым',
  language: 'Язык',
  privacy: 'Политика конфиденциальности',
};

export const formTexts: Record<Language, FormTexts> = { en, ru };
