import type { Language } from '../../base/contract/common';
import { errorTable, type ErrorCode } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import { html, type Html } from '../../base/http/html';
import { codeBlock, requestBlock } from './code-block';
import { localPath, resourceAnchor, resourcePath, resourceTitle } from './contents';
import { errorText } from './error-texts';
import { fieldTable } from './field-table';
import { fieldWords } from './field-words';
import { heading, row, type DocsPage } from './layout';
import { sampleRequest, textOf } from './operation-sample';
import { byResource, type Operation } from './operations';
import { prose } from './prose';
import { russian } from './russian';
import { exampleResponse } from './example';
import { fieldLines } from './schema-fields';
import { texts, type Texts } from './texts';

/** Where an operation is described. */
export function operationUrl({ tag, id }: Pick<Operation, 'tag' | 'id'>, language: Language): string {
  return `${resourcePath(tag, language)}#${id}`;
}

/** What an operation does, in a few words. */
export function summaryOf({ summary }: Pick<Operation, 'summary'>, language: Language): string {
  return language === 'ru' ? russian.summary(summary) : summary;
}

/** What else there is to say about an operation; empty if there is nothing. */
export function noteOf({ description }: Pick<Operation, 'description'>, language: Language): string {
  return language === 'ru' ? russian.note(description) : description;
}

/** The list of operations on the first page. */
export function operationList(operations: Operation[], language: Language): Html {
  return html`${byResource(operations).map(
    ([tag, members]) =>
      html`<h3>${resourceTitle(tag, language)}</h3>
        <ul class="operations">
          ${members.map((operation) => listed(operation, language))}
        </ul>`,
  )}`;
}

/**
 * The start of the reference. Every operation keeps its anchor here, because earlier versions had all of them on this
 * page; a script leads on to the operation's own page.
 */
export function referenceIndex(operations: Operation[], baseUrl: string, language: Language): DocsPage {
  const resources = byResource(operations);
  const curl = `curl ${baseUrl}/v1/project -H "Authorization: Bearer $HERALD_API_KEY"`;
  return {
    path: '/docs/reference',
    title: titles[language],
    headings: resources.map(([tag]) => ({ id: resourceAnchor(tag), title: resourceTitle(tag, language) })),
    content: html`${row(
      html`<h1>${titles[language]}</h1>
        ${introductions[language]()}`,
      codeBlock(curl, 'bash', texts[language].request, texts[language]),
    )}
    ${resources.map(
      ([tag, members]) =>
        html`<section class="resource">
          <h2 id="${resourceAnchor(tag)}">
            <a href="${resourcePath(tag, language)}">${resourceTitle(tag, language)}</a>
          </h2>
          <ul class="operations" data-moved>
            ${members.map((operation) => listed(operation, language, operation.id))}
          </ul>
        </section>`,
    )}`,
  };
}

const titles: Record<Language, string> = { en: 'API reference', ru: 'Справочник API' };

const introductions: Record<Language, () => Html> = {
  en: () =>
    html`<p>
        Send <code>Authorization: Bearer &lt;API_KEY&gt;</code> with each request, and JSON bodies. A project
        can send ${limits.requestsPerMinute} requests per minute. Errors share
        <a href="/docs/errors">one format</a>; lists are <code>{data, next_cursor}</code>, newest first. Also
        available as <a href="/openapi.json">OpenAPI 3.1</a>.
      </p>
      <p>
        The samples in TypeScript and Python use the SDKs:
        <a href="/docs#install-the-sdk">how to install them</a>.
      </p>`,
  ru: () =>
    html`<p>
        Передавайте в каждом запросе <code>Authorization: Bearer &lt;API_KEY&gt;</code>, а тело — в JSON.
        Проект может сделать ${limits.requestsPerMinute} запросов в минуту. Все ошибки —
        <a href="/docs/ru/errors">в одном формате</a>; списки приходят как <code>{data, next_cursor}</code>,
        сначала новые. То же описание есть в формате <a href="/openapi.json">OpenAPI 3.1</a>, на английском.
      </p>
      <p>
        Примеры на TypeScript и Python написаны с SDK:
        <a href="/docs/ru#install-the-sdk">как его установить</a>.
      </p>`,
};

function listed(operation: Operation, language: Language, id?: string): Html {
  const { method, path } = operation;
  return html`<li ${id ? html`id="${id}"` : ''}>
    <a href="${operationUrl(operation, language)}">${methodName(method)} <code>${path}</code></a>
    <span>${summaryOf(operation, language)}</span>
  </li>`;
}

/** The page of one resource. */
export function resourcePage(
  tag: string,
  operations: Operation[],
  baseUrl: string,
  language: Language,
): DocsPage {
  const title = resourceTitle(tag, language);
  return {
    path: resourcePath(tag, 'en'),
    title: `${title} · API`,
    headings: operations.map((operation) => ({ id: operation.id, title: summaryOf(operation, language) })),
    content: html`<h1>${title}</h1>
      ${operations.map((operation) => section(operation, baseUrl, language))}`,
  };
}

function section(operation: Operation, baseUrl: string, language: Language): Html {
  const { id, method, path, parameters, status, response, mediaTypes } = operation;
  const note = noteOf(operation, language);
  const words = texts[language];
  const lines = (schema: Parameters<typeof fieldLines>[0]) => fieldLines(schema, fieldWords[language]);
  const text = html`${heading(2, id, summaryOf(operation, language))}
    <p class="route">${methodName(method)} <code>${path}</code></p>
    ${note !== '' && html`<p>${prose(note)}</p>`}
    <p class="facts">${access(operation, language)}</p>
    ${parameterTables(parameters, language)} ${bodyText(operation, language)}
    <p class="facts">${words.returns(status, mediaTypes)}</p>
    ${response && fieldTable(words.response, lines(response), words, { marksRequired: false })}
    ${errorTables(operation, language)}`;
  const code = html`${requestBlock(sampleRequest(operation, baseUrl), id, words)} ${tryIt(operation)}
  ${
    response &&
    codeBlock(
      JSON.stringify(exampleResponse(response), null, 2),
      'json',
      `${words.response} ${status}`,
      words,
    )
  }`;
  return html`<section class="entry" data-anchor="${id}">${row(text, code)}</section>`;
}

function bodyText({ body, fileTypes }: Operation, language: Language): Html | '' | undefined {
  const words = texts[language];
  if (fileTypes.length > 0) return html`<p class="facts">${words.fileBody(fileTypes)}</p>`;
  return body && fieldTable(words.body, fieldLines(body, fieldWords[language]), words);
}

function methodName(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function access({ scope }: Operation, language: Language): Html {
  const code = html`<code>${scope}</code>`;
  if (language === 'ru') {
    if (scope === undefined) return html`Ключ API не нужен.`;
    return scope === null ? html`Нужен ключ API или вход в панель.` : html`Нужен ключ API с правом ${code}.`;
  }
  if (scope === undefined) return html`No API key needed.`;
  return scope === null
    ? html`Needs an API key or a sign-in to the dashboard.`
    : html`Needs an API key with the scope ${code}.`;
}

function parameterTables(parameters: Operation['parameters'], language: Language): Html[] {
  const words = texts[language];
  const places = [
    ['path', words.pathParameters],
    ['query', words.queryParameters],
    ['header', words.headers],
  ] as const;
  return places.flatMap(([place, title]) => {
    const members = parameters.filter((parameter) => parameter.in === place);
    const properties = Object.fromEntries(members.map(({ name, schema }) => [name, schema]));
    const required = members.filter((parameter) => parameter.required).map(({ name }) => name);
    const lines = fieldLines({ type: 'object', properties, required }, fieldWords[language]);
    return fieldTable(title, lines, words) || [];
  });
}

/** The errors of the operation; those of every request are folded. */
function errorTables({ errors, commonErrors }: Operation, language: Language): Html {
  const words = texts[language];
  return html`${errors.length > 0 && errorTableOf(words.errors, errors, language, words)}
    <details class="errors">
      <summary>${errors.length > 0 ? words.commonErrors : words.onlyCommonErrors}</summary>
      ${errorTableOf(words.commonErrors, commonErrors, language, words)}
    </details>`;
}

function errorTableOf(title: string, codes: ErrorCode[], language: Language, words: Texts): Html {
  const sorted = [...codes].sort((a, b) => errorTable[a].status - errorTable[b].status);
  return html`<div class="table" tabindex="0" role="group" aria-label="${title}">
    <table class="fields">
      <thead>
        <tr>
          <th scope="col">${title}</th>
          <th scope="col">${words.meaning}</th>
        </tr>
      </thead>
      <tbody>
        ${sorted.map(
          (code) =>
            html`<tr>
              <th scope="row">
                <a href="${localPath('/docs/errors', language)}#${code}"><code>${code}</code></a>
                <span class="type">${errorTable[code].status}</span>
              </th>
              <td>${errorText(code, language).text}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** The form of "Try it" is built by a script, from what it finds here. */
function tryIt(operation: Operation): Html {
  const { method, path, scope, parameters, body, textType, fileTypes } = operation;
  const request = {
    method,
    path,
    needsKey: scope !== undefined,
    parameters: parameters.map(({ name, in: place, required }) => ({ name, in: place, required })),
    ...(fileTypes.length > 0 ? { files: fileTypes } : body ? { body: textOf(operation) } : {}),
    ...(textType === undefined ? {} : { type: textType }),
  };
  return html`<div class="try" data-request="${JSON.stringify(request)}"></div>`;
}
