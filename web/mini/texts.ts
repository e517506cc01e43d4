interface MiniTexts {
  heading(project: string): string;
  subscribe: string;
  subscribed: string;
  openInMessenger: string;
  unknownLink: string;
  failed: string;
  /** By the code of the API's error. */
  errors: Record<string, string>;
}

export const texts: Record<'en' | 'ru', MiniTexts> = {
  en: {
    heading: (project) => `Messages from ${project}`,
    subscribe: 'Subscribe',
    subscribed: 'You are subscribed. To stop, send /stop to the bot.',
    openInMessenger: 'Open this page from the messenger.',
    unknownLink: 'This link is not valid or has expired.',
    failed: 'Something went wrong. Please try again.',
    errors: {
      already_subscribed: 'You are already subscribed.',
      invalid_init_data: 'This page has expired. Close it and open it again.',
      conflict: 'The bot cannot write to you yet. Open the bot, then try again.',
      not_found: 'This link is not valid or has expired.',
    },
  },
  ru: {
    heading: (project) => `Сообщения от «${project}»`,
    subscribe: 'Подписаться',
    subscribed: 'Вы подписаны. Чтобы отписаться, отправьте боту /stop.',
    openInMessenger: 'Откройте эту страницу из мессенджера.',
    unknownLink: 'Ссылка неверна или уже не действует.',
    failed: 'Что-то пошло не так. Попробуйте ещё раз.',
    errors: {
      already_subscribed: 'Вы уже подписаны.',
      invalid_init_data: 'Страница устарела. Закройте её и откройте заново.',
      conflict: 'Бот пока не может вам написать. Откройте бота и попробуйте ещё раз.',
      not_found: 'Ссылка неверна или уже не действует.',
    },
  },
};
