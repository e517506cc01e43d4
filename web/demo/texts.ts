const en = {
  declined: 'Login declined. Reload the page to start again.',
  ended: 'This login has ended. Reload the page to start again.',
  received: (length: number) =>
    `The page received a one-time code (${length} characters). The backend exchanges it…`,
  exchanged: 'Logged in. The backend exchanged the code for this user:',
  refused: 'The code was not accepted:',
  paymentOutcomes: {
    approved: 'Approved. The payment goes on.',
    declined: 'Declined. Nothing was paid.',
    expired: 'The request has expired. Nothing was paid.',
  } as Record<string, string>,
};

const ru: typeof en = {
  declined: 'Вход отклонён. Чтобы начать заново, обновите страницу.',
  ended: 'Этот вход завершился. Чтобы начать заново, обновите страницу.',
  received: (length) => `Страница получила одноразовый код (символов: ${length}). Сервер обменивает его…`,
  exchanged: 'Вы вошли. Сервер обменял код на пользователя:',
  refused: 'Код не принят:',
  paymentOutcomes: {
    approved: 'Подтверждено. Платёж проходит.',
    declined: 'Отклонено. Деньги не списаны.',
    expired: 'Время вышло. Деньги не списаны.',
  },
};

/** In the language of the page. */
export const t = document.documentElement.lang === 'ru' ? ru : en;
