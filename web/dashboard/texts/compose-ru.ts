import type { composeEn } from './compose-en';
import { plural } from './plural';

const weekdays = [
  'понедельникам',
  'вторникам',
  'средам',
  'четвергам',
  'пятницам',
  'субботам',
  'воскресеньям',
];
const listed = (names: string[]) => new Intl.ListFormat('ru-RU').format(names);
/** Кому: родительный падеж. */
const forPeople = (number: number) =>
  plural('ru-RU', number, {
    one: 'подписчика',
    few: 'подписчиков',
    many: 'подписчиков',
    other: 'подписчиков',
  });
/** Кому: дательный падеж. */
const toPeople = (number: number) =>
  plural('ru-RU', number, {
    one: 'подписчику',
    few: 'подписчикам',
    many: 'подписчикам',
    other: 'подписчикам',
  });

/** Сообщение: текст, получатели, время, проверка и черновики. */
export const composeRu: typeof composeEn = {
  // Текст
  formatting: 'Оформление',
  formattingTools: { bold: 'Жирный', italic: 'Курсив', link: 'Ссылка', code: 'Код' },
  formattedAs: (format) => `Текст с оформлением (${format}).`,
  usePlainText: 'Убрать оформление',
  looksFormatted: 'В тексте есть разметка Markdown.',
  useFormatting: 'Применить её',
  insert: 'Вставить',
  insertOfEvent: 'Вставить из события',
  fallback: 'Если значения нет, написать',
  fallbackHint: 'Например: друг',
  otherProperty: 'Другое свойство',
  otherPropertyOrEvent: 'Другое свойство — подписчика или события',
  standsFor: 'Что подставить',
  chipKeys: 'Стрелки выделяют подстановку, Enter открывает её, Backspace удаляет.',
  textMissing: 'Введите текст сообщения.',
  textTooLong: (most) => `Текст — не длиннее ${most} символов.`,
  placeholderNames: {
    first_name: 'Имя',
    username: 'Username',
    external_id: 'Внешний ID',
    subscriber_id: 'ID подписчика',
    lang: 'Язык',
    project: 'Название проекта',
  },
  withFallback: (name, fallback) => `${name} или «${fallback}»`,
  needsValue: (name) => `Неизвестно: ${name}`,

  // Предпросмотр
  previewFor: 'Как увидит',
  findPerson: 'Найти подписчика',
  findPersonHint: 'Имя, @username или внешний ID',
  noPreviewPeople: 'Подходящих подписчиков нет. Вместо значений показан запасной текст.',
  sendTestTo: (name) => `Отправить пробное сообщение: ${name}`,
  editButton: 'Изменить кнопку',
  newButton: 'Новая кнопка',
  messageButton: 'Кнопка',

  // Получатели
  recipients: 'Получатели',
  recipientKinds: { audience: 'Аудитория', person: 'Один человек' },
  everyone: 'Все активные подписчики',
  narrowAudience: 'Добавить условие',
  narrowAudienceHint: 'Начните вводить тег, разрешение или мессенджер.',
  onlyMessenger: (name) => `Только ${name}`,
  hasTag: (tag) => `Есть тег ${tag}`,
  hasAnyTag: (tag) => `Есть хотя бы один из: ${tag}`,
  hasNoTag: (tag) => `Нет тега ${tag}`,
  hasPermission: (name) => `Есть разрешение ${name}`,
  removeNamed: (text) => `Убрать: ${text}`,
  addTag: 'Введите тег',
  addPermission: 'Введите разрешение',
  chooseCondition: 'Выберите условие из списка.',
  choosePerson: 'Выберите подписчика.',

  // Когда
  when: 'Когда',
  whens: { now: 'Сразу', at: 'Позже', repeat: 'Регулярно' },
  rightAway: 'Сразу',
  repeatNeedsAudience: 'Чтобы сообщение повторялось, выберите аудиторию.',
  atRecipientTime: (time) => `${time}, по местному времени получателя`,
  whoseClock: 'По чьему времени',
  projectClock: (zone) => `Проекта (${zone})`,
  every: 'Повторять',
  everies: { day: 'Каждый день', week: 'Каждую неделю', month: 'Каждый месяц' },
  timeOfDay: 'Время',
  weekdays: 'Дни недели',
  monthDay: 'Число месяца',
  monthDayHint: 'Месяцы без этого числа пропускаются.',
  everyDayAt: (time) => `Каждый день в ${time}`,
  everyWeekAt: (days, time) => `По ${listed(days.map((day) => weekdays[day - 1] ?? ''))} в ${time}`,
  everyMonthAt: (day, time) => `${day}-го числа каждого месяца в ${time}`,
  nextTimes: (dates) => `Ближайшие: ${dates}`,
  unknownZone: 'Выберите часовой пояс из списка.',
  timeHasPassed: 'Это время уже прошло.',
  browserClock: 'По часам этого браузера',
  advanced: 'Дополнительно',
  useCron: 'Задать выражением cron',

  // Проверка
  reviewBefore: {
    now: 'Проверить и отправить',
    at: 'Проверить и запланировать',
    repeat: 'Проверить и запустить',
  },
  confirmWhen: { now: 'Отправить', at: 'Запланировать', repeat: 'Запустить' },
  reviewTitles: {
    now: (number) => `Отправить ${toPeople(number)}?`,
    at: (number) => `Запланировать для ${forPeople(number)}?`,
    repeat: (number) => `Отправлять регулярно ${toPeople(number)}?`,
  },
  reviewOneTitles: {
    now: (name) => `Отправить? Получатель: ${name}`,
    at: (name) => `Запланировать? Получатель: ${name}`,
    repeat: (name) => `Отправлять регулярно? Получатель: ${name}`,
  },
  sentTo: (name) => `Отправлено: ${name}`,
  notSent: (reason) => `Сообщение не отправлено. ${reason}.`,

  // Черновики
  draftRestored: 'Черновик восстановлен.',
  discardDraft: 'Удалить черновик',
  leaveTitle: 'Уйти со страницы?',
  leaveText: 'Написанное ещё не сохранено. Браузер может сохранить его как черновик.',
  leaveAndKeep: 'Уйти, оставить черновик',
};
