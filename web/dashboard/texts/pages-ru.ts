import type { pagesEn } from './pages-en';

/** Доступ, лимиты, шаблоны, получатели и состояние эндпоинтов на страницах после входа. */
export const pagesRu: typeof pagesEn = {
  // Страницы, на которые нет прав
  noAccess: 'Эта страница вам недоступна',
  noAccessRole:
    'У вашей роли в этом проекте нет таких прав. Попросите доступ у владельца или администратора.',
  noAccessKey: (scope) => `У этого ключа API нет права «${scope}». Войдите с ключом, у которого оно есть.`,
  goToSection: (section) => `Открыть раздел «${section}»`,
  viewTemplateOnly: 'Этот шаблон вам доступен только для просмотра.',
  ownersOnly: 'Владельца может изменить только владелец.',

  // Лимиты
  endpointsFull: (most) => `Эндпоинтов: ${most} из ${most}. Чтобы создать новый, удалите один.`,
  clientsFull: (most) => `Клиентов: ${most} из ${most}. Чтобы создать нового, удалите одного.`,
  labelsFull: {
    tags: (most) => `Тегов: ${most} из ${most}. Чтобы создать новый, удалите один.`,
    permissions: (most) => `Разрешений: ${most} из ${most}. Чтобы создать новое, удалите одно.`,
  },

  // Что ещё не заполнено
  keyMissing: 'Введите ключ.',
  nameMissing: 'Введите название.',

  // OpenID Connect
  oidcRotateText: (hours) => `Приложение получит новый секрет; старый действует ещё ${hours} часа.`,

  // Шаблоны и получатели
  template: (key) => `Шаблон ${key}`,
  templateNamed: (name) => `Шаблон «${name}»`,
  taggedAll: (tags) => (tags.length === 1 ? `с тегом ${tags[0]}` : `со всеми тегами: ${tags.join(', ')}`),
  taggedAny: (tags) => (tags.length === 1 ? `с тегом ${tags[0]}` : `с любым из тегов: ${tags.join(', ')}`),
  notTagged: (tags) => (tags.length === 1 ? `без тега ${tags[0]}` : `без тегов: ${tags.join(', ')}`),

  // Состояние эндпоинтов
  succeeded: (rate) => `${rate} успешно`,
  slowestEndpoint: (ms) => `Самый медленный эндпоинт: 95\u00a0% ответов быстрее\u00a0${ms}\u00a0мс`,
  endpointDisabled: (name) => `Эндпоинт «${name}» отключён и не получает события.`,
  endpointWaiting: (name, seconds) =>
    `Доставки на эндпоинт «${name}» ждут уже ${seconds} с: Temporal занят и сначала обслуживает входы. В режиме доставки auto они его не ждут.`,
  endpointFailing: (name, since) => `Доставки на эндпоинт «${name}» не проходят с ${since}.`,
  attempt: (number) => `Попытка ${number}`,
  laterAttempts: 'Каждая следующая попытка — только если предыдущая не удалась.',

  scopeNames: {
    read: 'Чтение',
    send: 'Отправка сообщений',
    auth: 'Входы',
    helpdesk: 'Обращения',
    export: 'Выгрузки',
    admin: 'Ключи и команда',
    manage: 'Управление проектом',
    publish: 'Публикация событий',
  },
};
