import { plural } from './plural';
import type { shellEn } from './shell-en';

export const shellRu: typeof shellEn = {
  menuLogin: 'Вход',
  menuMessaging: 'Сообщения',
  menuMessages: 'Рассылки',
  menuProject: 'Проект',
  endpoints: 'Эндпоинты',
  find: 'Найти',
  selectAllRows: 'Выбрать все на странице',
  palette: 'Поиск',
  paletteHint: 'Страницы, обращения, подписчики, доставки, входы',
  inbox: 'Обращения',
  newTickets: (count) =>
    plural('ru-RU', count, {
      one: 'новое обращение',
      few: 'новых обращения',
      many: 'новых обращений',
      other: 'нового обращения',
    }),
  ticketEntry: (number, about) => `#${number} ${about}`.trim(),
  ticketStates: {
    new: 'Новое',
    in_progress: 'В работе',
    waiting: 'Ждёт клиента',
    closed: 'Закрыто',
  },
  ticketsOf: 'Обращения',
  paletteNothing: 'Ничего не нашлось',
  loginOf: (name) => `Вход: ${name}`,
  loginById: 'Вход с этим ID',
  accountMenu: 'Меню учётной записи',
  signedInByKey: 'Вход по ключу',
  theme: 'Тема',
  themes: { system: 'Авто', light: 'Светлая', dark: 'Тёмная' },
  useApiKey: 'Войти по ключу API',
  continueWith: (messenger) => `Продолжить через ${messenger}`,
  receivedAt: 'Получено',
  occurredAt: 'Произошло',
  findSubscriber: 'Имя, @username или внешний ID',
  noSubscriberFound: 'Никого не нашлось',
  clearChoice: 'Очистить',
};
