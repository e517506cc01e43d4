import type { Language } from '../../base/contract/common';

/** The copy of the provider's own pages. */
export interface OidcTexts {
  deviceTitle: string;
  deviceText: string;
  deviceLabel: string;
  deviceButton: string;
  deviceProblems: Record<'unknown' | 'too_many' | 'busy' | 'billing', string>;
  tooManyTitle: string;
  tooManyText: string;
  busyTitle: string;
  busyText: string;
  errorTitle: string;
  errorText: string;
  unavailableTitle: string;
  unavailableText: string;
  lateTitle: string;
  lateText: string;
  details: string;
  logoutTitle: string;
  logoutText: string;
  logoutButton: string;
  loggedOutTitle: string;
  loggedOutText: string;
}

const en: OidcTexts = {
  deviceTitle: 'Log in on your device',
  deviceText: 'Enter the code that your device shows.',
  deviceLabel: 'Code',
  deviceButton: 'Continue',
  deviceProblems: {
    unknown: 'This code is wrong or has expired. Check it, or get a new one on your device.',
    too_many: 'Too many attempts from your network. Try again later.',
    busy: 'Too many people are logging in right now. Try again in a minute.',
    billing: 'This service can’t accept logins right now. Try again later.',
  },
  tooManyTitle: 'Too many logins',
  tooManyText: 'There were too many logins from your network. Try again later.',
  busyTitle: 'Too many logins right now',
  busyText: 'Too many people are logging in at the moment. Wait a minute, then reload this page.',
  errorTitle: 'This login did not work',
  errorText: 'The site sent a request that can’t be accepted. Go back to the site and try again.',
  unavailableTitle: 'Temporarily unavailable',
  unavailableText: 'Try again in a moment.',
  lateTitle: 'This login has ended',
  lateText: 'It was completed or has expired. Go back to the site and log in again.',
  details: 'Details for the site’s developer',
  logoutTitle: 'Log out?',
  logoutText: 'The site wants to log you out.',
  logoutButton: 'Log out',
  loggedOutTitle: 'You are logged out',
  loggedOutText: 'You can close this page.',
};

const ru: OidcTexts = {
  deviceTitle: 'Вход на устройстве',
  deviceText: 'Введите код, который показан на устройстве.',
  deviceLabel: 'Код',
  deviceButton: 'Продолжить',
  deviceProblems: {
    unknown: 'Код неверный или уже не действует. Проверьте его или получите новый на устройстве.',
    too_many: 'Слишком много попыток из вашей сети. Попробуйте позже.',
    busy: 'Сейчас входит слишком много людей. Попробуйте через минуту.',
    billing: 'Сейчас войти в этот сервис нельзя. Попробуйте позже.',
  },
  tooManyTitle: 'Слишком много входов',
  tooManyText: 'Из вашей сети входили слишком часто. Попробуйте позже.',
  busyTitle: 'Сейчас слишком много входов',
  busyText: 'В эту минуту входит слишком много людей. Подождите немного и обновите страницу.',
  errorTitle: 'Войти не получилось',
  errorText: 'Сайт прислал запрос, который нельзя принять. Вернитесь на сайт и попробуйте ещё раз.',
  unavailableTitle: 'Временно недоступно',
  unavailableText: 'Попробуйте ещё раз чуть позже.',
  lateTitle: 'Этот вход уже завершён',
  lateText: 'Вход состоялся, или время на него истекло. Вернитесь на сайт и войдите заново.',
  details: 'Подробности для разработчика сайта',
  logoutTitle: 'Выйти?',
  logoutText: 'Сайт просит завершить ваш вход.',
  logoutButton: 'Выйти',
  loggedOutTitle: 'Вы вышли',
  loggedOutText: 'Эту страницу можно закрыть.',
};

export const oidcTexts: Record<Language, OidcTexts> = { en, ru };
