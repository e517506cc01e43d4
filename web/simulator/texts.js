const TEXTS = {
  en: {
    back: 'All channels',
    settings: 'Your profile',
    chat: 'Chat',
    whoHint: 'Each user has a separate chat. The bot sees the name and the language.',
    user: 'User',
    firstName: 'First name',
    username: 'Username (optional)',
    language: 'Language',
    apply: 'Apply',
    empty: 'No messages yet.',
    message: 'Message',
    send: 'Send',
    start: 'START',
    unblock: 'Unblock and restart',
    block: 'Block',
    you: 'You: {user}',
    blocked: 'You blocked this bot',
    edited: 'edited',
    fromBot: 'Bot',
    fromUser: 'You',
    photo: 'Photo',
    video: 'Video',
    document: 'Document',
    newTab: '(opens in a new tab)',
    failed: 'Something went wrong: {error}',
    away: 'Connection lost. Trying again…',
  },
  ru: {
    back: 'Все каналы',
    settings: 'Ваш профиль',
    chat: 'Чат',
    whoHint: 'У каждого пользователя свой чат. Бот видит имя и язык.',
    user: 'Пользователь',
    firstName: 'Имя',
    username: 'Имя пользователя (необязательно)',
    language: 'Язык',
    apply: 'Применить',
    empty: 'Сообщений пока нет.',
    message: 'Сообщение',
    send: 'Отправить',
    start: 'НАЧАТЬ',
    unblock: 'Разблокировать и начать',
    block: 'Заблокировать',
    you: 'Вы: {user}',
    blocked: 'Вы заблокировали бота',
    edited: 'изменено',
    fromBot: 'Бот',
    fromUser: 'Вы',
    photo: 'Фото',
    video: 'Видео',
    document: 'Документ',
    newTab: '(откроется в новой вкладке)',
    failed: 'Не получилось: {error}',
    away: 'Связь прервалась. Пробуем ещё раз…',
  },
};

let language = 'en';

export function t(key, values = {}) {
  return TEXTS[language][key].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
}

/** Sets the language of the page. */
export function speak(chosen) {
  language = chosen === 'ru' ? 'ru' : 'en';
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll('[data-text]'))
    element.textContent = t(element.dataset.text);
  for (const element of document.querySelectorAll('[data-text-label]')) {
    element.setAttribute('aria-label', t(element.dataset.textLabel));
  }
  for (const element of document.querySelectorAll('[data-text-placeholder]')) {
    element.placeholder = t(element.dataset.textPlaceholder);
  }
}
