import type { Language } from '../../base/contract/common';
import { errorCodes, errorTable, isRetryable } from '../../base/contract/errors';
import { eventNames, eventTypes, isExtension } from '../../domains/events/contract';
import { html, type Html } from '../../base/http/html';
import { codeBlock } from './code-block';
import { errorText } from './error-texts';
import { eventText } from './event-texts';
import { fieldTable } from './field-table';
import { fieldWords } from './field-words';
import { heading, row, type DocsPage } from './layout';
import { prose } from './prose';
import { reasonTexts } from './reasons';
import type { Json } from './samples/request';
import { fieldLines } from './schema-fields';
import { texts } from './texts';

const errorWords: Record<Language, { title: string; introduction: Html }> = {
  en: {
    title: 'Errors',
    introduction: html`<p>Every error response has this form, with the HTTP status of its code.</p>
      <p>
        If <code>retryable</code> is true, retry with exponential backoff; if there is a
        <code>Retry-After</code> header, wait that many seconds. Otherwise fix the request before retrying.
      </p>`,
  },
  ru: {
    title: 'Ошибки',
    introduction: html`<p>
        У всех ошибок один формат; HTTP-статус ответа соответствует коду. Текст в поле <code>error</code> — на
        английском.
      </p>
      <p>
        Если <code>retryable</code> — true, повторите запрос с экспоненциальной задержкой, а при заголовке
        <code>Retry-After</code> подождите указанное число секунд. Иначе сначала исправьте запрос.
      </p>`,
  },
};

/** Every error code with an anchor: the target of `docs_url`. */
export function errorsPage(language: Language): DocsPage {
  const words = texts[language];
  const { title, introduction } = errorWords[language];
  const entries = errorCodes.map((code) => {
    const { text, help } = errorText(code, language);
    return html`<section class="entry" id="${code}">
      <h2>
        <a class="anchor" href="#${code}"><code>${code}</code></a>
      </h2>
      <p class="facts">
        HTTP ${errorTable[code].status} · ${isRetryable(code) ? words.retryable : words.notRetryable}
      </p>
      <p>${text}</p>
      <p>${help}</p>
    </section>`;
  });
  const envelope = JSON.stringify(
    {
      error: 'text: is required',
      code: 'validation_failed',
      retryable: false,
      docs_url: '…/docs/errors#validation_failed',
    },
    null,
    2,
  );
  return {
    path: '/docs/errors',
    title,
    content: html`${row(
      html`<h1>${title}</h1>
        ${introduction}`,
      codeBlock(envelope, 'json', words.response, words),
    )}
    ${entries}`,
  };
}

interface EventWords {
  title: string;
  published: string;
  extension: string;
  fields: string;
  reasons: string;
  introduction: (published: Html, extension: Html, operationUrl: (id: string) => string) => Html;
}

const eventWords: Record<Language, EventWords> = {
  en: {
    title: 'Events',
    published: 'publishable',
    extension: 'extension',
    fields: 'Fields of data',
    reasons: 'Values of reason',
    introduction: (published, extension, operationUrl) =>
      html`An endpoint subscribes to a list of events, or to all of them with an empty list. The body is
        always <code>{event, data}</code>; see <a href="/docs/webhooks">how to receive webhooks</a>. Events
        marked ${published} can also come from a helpdesk or forms outside Herald, through
        <a href="${operationUrl('post_v1_publish')}"><code>POST /v1/publish</code></a
        >. Events marked ${extension} are Herald’s own additions to the catalogue.
        <a href="${operationUrl('get_v1_event_types')}"><code>GET /v1/event-types</code></a>
        returns the schemas.`,
  },
  ru: {
    title: 'События',
    published: 'публикуемое',
    extension: 'расширение',
    fields: 'Поля data',
    reasons: 'Значения reason',
    introduction: (published, extension, operationUrl) =>
      html`Эндпоинт подписывается на список событий, а с пустым списком — на все. Тело запроса всегда имеет
        вид <code>{event, data}</code>; как его принять, рассказано в руководстве
        <a href="/docs/ru/webhooks">«Приём вебхуков»</a>. События с пометкой ${published} могут приходить и
        извне, от вашей службы поддержки или ваших форм, через
        <a href="${operationUrl('post_v1_publish')}"><code>POST /v1/publish</code></a
        >. События с пометкой ${extension} Herald добавляет к каталогу сам. Схемы возвращает
        <a href="${operationUrl('get_v1_event_types')}"><code>GET /v1/event-types</code></a
        >.`,
  },
};

export function eventsPage(operationUrl: (id: string) => string, language: Language): DocsPage {
  const types = eventTypes();
  const words = eventWords[language];
  const publishedBadge = html`<span class="badge warn">${words.published}</span>`;
  const extensionBadge = html`<span class="badge">${words.extension}</span>`;
  const entries = types.map((event) => {
    const data = (event.schema['properties'] as Record<string, Json>)['data'] ?? {};
    const lines = fieldLines(data, fieldWords[language]);
    const text = html`<h2>
        <a class="anchor" href="#${event.name}"><code>${event.name}</code></a>
      </h2>
      <p>
        ${prose(eventText(event.name, language))} ${event.source === 'publisher' ? publishedBadge : ''}
        ${isExtension(event.name) ? extensionBadge : ''}
      </p>
      ${fieldTable(words.fields, lines, texts[language], { marksRequired: false })}
      ${reasons(event.name, data, language)}`;
    const example = JSON.stringify(event.example, null, 2);
    return html`<section class="entry" id="${event.name}">
      ${row(text, codeBlock(example, 'json', texts[language].example, texts[language]))}
    </section>`;
  });
  return {
    path: '/docs/events',
    title: words.title,
    headings: eventNames.map((name) => ({ id: name, title: name })),
    content: html`<h1>${words.title}</h1>
      <p class="lead">${words.introduction(publishedBadge, extensionBadge, operationUrl)}</p>
      ${entries}`,
  };
}

/** What each value of `reason` means, if the event has such a field. */
function reasons(name: string, data: Json, language: Language): Html | '' {
  const { reason } = (data['properties'] ?? {}) as Record<string, Json | undefined>;
  const values = (reason?.['enum'] ?? []) as string[];
  if (values.length === 0) return '';
  const title = eventWords[language].reasons;
  return html`${heading(3, `${name}-reason`, title)}
    <div class="table" tabindex="0" role="group" aria-label="${title}">
      <table class="fields">
        <thead>
          <tr>
            <th scope="col">reason</th>
            <th scope="col">${texts[language].meaning}</th>
          </tr>
        </thead>
        <tbody>
          ${values.map(
            (value) =>
              html`<tr>
                <th scope="row"><code>${value}</code></th>
                <td>${prose(reasonTexts[language][value] ?? '')}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}
