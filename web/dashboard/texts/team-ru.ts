import type { teamEn } from './team-en';

/** Команда, вход через мессенджер, журнал изменений и учётная запись. */
export const teamRu: typeof teamEn = {
  // Вход через мессенджер
  openIn: (messenger) => `Открыть ${messenger}`,
  matchCodeIs: 'Бот покажет тот же код',
  confirmInMessenger: 'Откройте бота и подтвердите вход. Эта страница продолжит сама.',
  signInEnds: {
    declined: 'Вход отклонён.',
    expired: 'Время на вход истекло.',
    consumed: 'Этот вход уже завершён.',
  },
  tryAgain: 'Попробовать снова',
  noProject: 'Вы пока не состоите ни в одной команде',
  noProjectText: 'Попросите у владельца проекта приглашение и откройте его ссылку в мессенджере.',
  createProject: 'Создать проект',
  slugHint: 'От 3 до 50 символов: a–z, 0–9 и дефис. Входит в ссылки на бота.',
  switchProject: 'Проект',

  // Команда
  team: 'Команда',
  teamLead: 'Люди, которым доступна эта панель. Они входят через мессенджер.',
  members: 'Участники',
  member: 'Участник',
  role: 'Роль',
  roleNames: { owner: 'Владелец', admin: 'Администратор', support: 'Поддержка', viewer: 'Наблюдатель' },
  roleHints: {
    owner: 'Всё, включая владельцев',
    admin: 'Всё, кроме изменения владельцев',
    support: 'Видит всё и работает с обращениями',
    viewer: 'Видит всё, кроме кодов входа, ключей и команды',
  },
  notify: 'Сообщения бота',
  notifyLevels: { none: 'Не присылать', assigned: 'Сбои и свои обращения', all: 'Обо всём' },
  lastSeen: 'Последний визит',
  never: 'Ни разу',
  noMembers: 'В команде пока никого нет',
  noMembersText: 'Пригласите человека: он откроет ссылку в мессенджере и подтвердит.',
  changeMember: (name) => `Изменить: ${name}`,
  removeMember: (name) => `Удалить: ${name}`,
  removeMemberTitle: (name) => `Удалить ${name} из команды?`,
  removeMemberText: 'Доступ пропадёт в течение секунды. Пригласить можно снова.',
  memberRemoved: 'Участник удалён',
  invite: 'Пригласить',
  inviteMember: 'Пригласить участника',
  inviteFor: 'Для кого (необязательно)',
  invitations: 'Открытые приглашения',
  invitationText: (days) =>
    `Отправьте человеку одну из ссылок. Она сработает один раз, в течение ${days} дней.`,
  invitationLink: (messenger) => `Ссылка для ${messenger}`,
  expires: 'Действует до',
  withdraw: 'Отозвать',
  withdrawTitle: 'Отозвать это приглашение?',
  withdrawText: 'Его ссылки перестанут работать.',
  invitationWithdrawn: 'Приглашение отозвано',

  // Журнал изменений
  audit: 'Журнал изменений',
  auditLead: (days) => `Кто и что менял в проекте. Записи хранятся ${days} дней.`,
  actor: 'Кто',
  actorTypes: { member: 'Участник', key: 'Ключ API', cli: 'Оператор', system: 'Herald' },
  action: 'Действие',
  target: 'Объект',
  ipAddress: 'IP-адрес',
  time: 'Время',
  noAudit: 'Изменений пока нет',
  noAuditMatch: 'Под эти фильтры ничего не подходит',

  // Учётная запись
  account: 'Ваши входы',
  accountLead: 'Браузеры, в которых вы вошли в панель.',
  currentSession: 'Этот браузер',
  endSession: 'Завершить',
  sessionEnded: 'Вход завершён',
  unknownDevice: 'Неизвестное устройство',
  signedInAt: 'Вход выполнен',
  ownNotifyHint: 'Что бот присылает вам об этом проекте: сбои вебхуков, остаток кредитов и обращения.',
  ownNotifyLevels: { none: 'Ничего', assigned: 'О сбоях и своих обращениях', all: 'Обо всём' },

  // Права и настройки
  keyScopes: 'Права',
  chooseScope: 'Выберите хотя бы одно право.',
  scopeMissing: 'У вас самих нет этого права',
  allScopes: 'Все права',
  timezone: 'Часовой пояс',
  timezoneHint: 'Имя IANA, например Europe/Moscow. По нему отправляются запланированные сообщения.',
};
