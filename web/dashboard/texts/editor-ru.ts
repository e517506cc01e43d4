import type { editorEn } from './editor-en';
import { plural } from './plural';

const count = (number: number, one: string, few: string, many: string) =>
  plural('ru-RU', number, { one, few, many, other: few });

/** Редактор сообщений, импорт и данные подписчика. */
export const editorRu: typeof editorEn = {
  // Содержание сообщения
  contentSource: 'Сообщение',
  contentOwn: 'Написать здесь',
  openTemplate: 'Открыть шаблон',
  templateValue: (name) => `Значение ${name}`,
  addButton: 'Добавить кнопку',
  buttonText: 'Текст кнопки',
  buttonAction: 'Что делает кнопка',
  buttonOpens: 'Открывает ссылку',
  buttonSends: 'Отправляет событие',
  buttonUrl: 'Ссылка кнопки',
  buttonData: 'Данные для button.clicked',
  buttonBeside: 'В одном ряду с предыдущей',
  removeButton: (text) => (text ? `Убрать ${text}` : 'Убрать кнопку'),

  // Отложенные и регулярные
  noScheduledMatch: 'Под эти фильтры ничего не подходит',
  editScheduled: 'Изменить отложенное сообщение',
  scheduledCancelled: 'Сообщение отменено',
  cancelNamed: (title) => `Отменить: ${title}`,
  namedZone: 'Другого пояса',
  editRecurring: 'Изменить регулярную рассылку',
  recurringDeleted: 'Регулярная рассылка удалена',
  recurringPaused: 'Рассылка приостановлена',
  recurringResumed: 'Рассылка возобновлена',
  runStarted: 'Рассылка запущена',
  runSkipped: 'Следующий запуск будет пропущен',
  runsBetween: 'Первый и последний запуск',
  startAt: 'Не раньше (необязательно)',
  endAt: 'Не позже (необязательно)',
  maxRuns: 'Сколько раз отправить (необязательно)',

  // Данные подписчика
  subscriberTimezoneHint: 'Название IANA, например Europe/Moscow. Если пусто — как в проекте.',
  propertiesHint: 'true, false и числа сохраняются как есть, всё остальное — как текст.',
  addProperty: 'Добавить свойство',
  propertyName: 'Название свойства',
  propertyValue: 'Значение свойства',
  propertyValueOf: (name) => `Значение ${name}`,
  removeProperty: (name) => (name ? `Убрать ${name}` : 'Убрать свойство'),
  propertyNeedsName: 'Укажите название свойства.',
  propertyTwice: 'Это свойство указано дважды.',

  // Команда, ссылки, ключи и пакеты
  done: 'Готово',
  invitationReady: 'Приглашение создано',
  invitedWho: 'Для кого',
  linkFor: (externalId) => `для ${externalId}`,
  keyCreated: 'Ваш новый ключ API',
  scopeTexts: {
    read: 'Читать всё, кроме кодов входа, выгрузок, ключей, команды и журнала изменений',
    send: 'Отправлять сообщения, пакеты, одноразовые коды и рассылки, в том числе отложенные и регулярные; отправлять события и добавлять в цепочки',
    auth: 'Начинать входы и подтверждения, узнавать их состояние и обменивать коды',
    helpdesk: 'Работать с обращениями',
    export: 'Выгружать данные и читать всё, что хранится о подписчике',
    admin: 'Управлять ключами, командой и приглашениями, читать журнал изменений',
    manage: 'Менять всё остальное',
    publish: 'Публиковать события других частей платформы; это право даёт только оператор',
  },
  batchStates: {
    queued: 'В очереди',
    running: 'Отправляется',
    cancelled: 'Отменён',
    completed: 'Завершён',
  },

  // Импорт
  importCsv: 'Импорт CSV',
  importTitle: 'Импорт подписчиков',
  importLead:
    'Меняет теги, разрешения, часовые пояса и свойства тех, кто уже подписан. Новых подписчиков импорт не создаёт: подписывается человек сам.',
  importFile: 'Файл CSV',
  importFileHint: (megabytes) => `UTF-8, до ${megabytes} МБ. В первой строке — названия столбцов.`,
  importChooseFile: 'Выберите файл.',
  importTooLarge: (megabytes) => `Файл — не больше ${megabytes} МБ.`,
  importDryRun: 'Только проверить файл, ничего не менять',
  importCheck: 'Проверить файл',
  importStart: 'Импортировать',
  importColumns: 'Столбцы и пример',
  importColumnsText:
    'subscriber_id или external_id, а ещё любые из tags (заменяет), add_tags, permissions, timezone и properties.<название>. Несколько значений соединяют знаком |. Пустая ячейка ничего не меняет.',
  importProgress: 'Импорт',
  importCheckProgress: 'Проверка файла',
  importWouldChange: (good, bad) => `Строк без ошибок: ${good}, с ошибками: ${bad}. Ничего не изменено.`,
  importChanged: (good, bad) => `Строк применено: ${good}, с ошибками: ${bad}.`,
  importRows: (rows) => `Импортировать ${count(rows, 'строку', 'строки', 'строк')}`,
  importCancel: 'Отменить импорт',
  importCancelled: 'Импорт отменён. Уже применённые строки остались применёнными.',
  importErrors: 'Строки с ошибками',
  importRow: 'Строка',
  importMoreErrors: (rows) => `И ещё ${count(rows, 'строка', 'строки', 'строк')} с ошибками.`,
  importProblems: {
    validation_failed: 'Неверное значение или число ячеек.',
    subscriber_not_found: 'Такого подписчика нет.',
    invalid_external_id: 'Внешний ID не указан или указан неверно.',
    conflict: 'В проекте достигнут предел.',
  },
};
