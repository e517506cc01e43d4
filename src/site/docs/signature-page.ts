import type { Language } from '../../base/contract/common';
import { html, type Html } from '../../base/http/html';
import { row, type DocsPage } from './layout';

interface SignatureWords {
  title: string;
  /** For the search. */
  summary: string;
  introduction: Html;
  needsScript: string;
  headers: string;
  body: string;
  secret: string;
  check: string;
}

export const signatureWords: Record<Language, SignatureWords> = {
  en: {
    title: 'Signature debugger',
    summary:
      'Find out why the signature of a webhook does not match: wrong secret, changed body, old timestamp.',
    introduction: html`<p>
        Your receiver rejects a webhook? Paste what it received, and the debugger says what is wrong: the
        secret, the body or the time. It checks <code>X-Service-Signature</code> and the headers of
        <a href="/docs/webhooks">Standard Webhooks</a>.
      </p>
      <p>
        <strong>Nothing leaves this page.</strong> The check runs in your browser. The headers and the body of
        every attempt are in the dashboard, on the page of the delivery.
      </p>`,
    needsScript: 'The debugger needs JavaScript.',
    headers: 'Request headers',
    body: 'Raw request body',
    secret: 'Secret of the endpoint',
    check: 'Check the signature',
  },
  ru: {
    title: 'Проверка подписи',
    summary: 'Почему подпись вебхука не сходится: не тот секрет, изменённое тело, старое время.',
    introduction: html`<p>
        Ваш сервер отклоняет вебхук? Вставьте то, что он получил, и проверка покажет, в чём дело: в секрете, в
        теле или во времени. Проверяются и <code>X-Service-Signature</code>, и заголовки
        <a href="/docs/ru/webhooks">Standard Webhooks</a>.
      </p>
      <p>
        <strong>Данные не покидают эту страницу:</strong> проверка выполняется в браузере. Заголовки и тело
        каждой попытки есть в панели, на странице доставки.
      </p>`,
    needsScript: 'Для проверки нужен JavaScript.',
    headers: 'Заголовки запроса',
    body: 'Тело запроса без изменений',
    secret: 'Секрет эндпоинта',
    check: 'Проверить подпись',
  },
};

/** The signature debugger. A script checks in the browser; what is pasted is sent nowhere. */
export function signaturePage(language: Language): DocsPage {
  const words = signatureWords[language];
  return {
    path: '/docs/signature',
    title: words.title,
    content: html`${row(
        html`<h1>${words.title}</h1>
          ${words.introduction}`,
      )}
      <noscript><p class="notice">${words.needsScript}</p></noscript>
      <form id="signature" class="row form" autocomplete="off" hidden>
        <div class="text">
          <label for="signature-headers">${words.headers}</label>
          <textarea
            id="signature-headers"
            rows="8"
            spellcheck="false"
            placeholder="X-Service-Timestamp: 1768473000
X-Service-Signature: t=1768473000,v1=…"
          ></textarea>
          <label for="signature-body">${words.body}</label>
          <textarea
            id="signature-body"
            rows="8"
            spellcheck="false"
            placeholder='{"event":"auth.completed","data":{…}}'
          ></textarea>
          <label for="signature-secret">${words.secret}</label>
          <input id="signature-secret" type="text" spellcheck="false" placeholder="whsec_…" />
          <p><button class="btn primary" type="submit">${words.check}</button></p>
        </div>
        <div class="aside">
          <div id="signature-result" role="status"></div>
        </div>
      </form>`,
  };
}
