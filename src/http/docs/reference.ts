import { errorTable, type ErrorCode } from '../../contract/errors';
import { limits } from '../../contract/limits';
import { html, type Html } from '../html';
import { codeBlock, requestBlock } from './code-block';
import { resourcePath } from './contents';
import { fieldTable } from './field-table';
import { heading, row, type DocsPage } from './layout';
import { sampleRequest, textOf } from './operation-sample';
import { byResource, type Operation } from './operations';
import { prose } from './prose';
import { exampleResponse } from './schema-example';
import { fieldLines } from './schema-fields';
import { texts } from './texts';

/** Where an operation is described. */
export function operationUrl({ tag, id }: Pick<Operation, 'tag' | 'id'>): string {
  return `${resourcePath(tag)}#${id}`;
}

/** The list of operations on the first page. */
export function operationList(operations: Operation[]): Html {
  return html`${byResource(operations).map(
    ([tag, members]) =>
      html`<h3>${tag}</h3>
        <ul class="operations">
          ${members.map((operation) => listed(operation))}
        </ul>`,
  )}`;
}

/**
 * The start of the reference. Every operation keeps its anchor here, because earlier versions had all of them on this
 * page; a script leads on to the operation's own page.
 */
export function referenceIndex(operations: Operation[], baseUrl: string): DocsPage {
  const resources = byResource(operations);
  const curl = `curl ${baseUrl}/v1/project -H "Authorization: Bearer $HERALD_API_KEY"`;
  return {
    path: '/docs/reference',
    title: 'API reference',
    headings: resources.map(([tag]) => ({ id: anchorOf(tag), title: tag })),
    content: html`${row(
      html`<h1>API reference</h1>
        <p>
          Send <code>Authorization: Bearer &lt;API_KEY&gt;</code> with each request, and JSON bodies. A
          project can send ${limits.requestsPerMinute} requests per minute. Errors share
          <a href="/docs/errors">one format</a>; lists are <code>{data, next_cursor}</code>, newest first.
          Also available as <a href="/openapi.json">OpenAPI 3.1</a>.
        </p>`,
      codeBlock(curl, 'bash', texts.en.request, texts.en),
    )}
    ${resources.map(
      ([tag, members]) =>
        html`<section class="resource">
          <h2 id="${anchorOf(tag)}"><a href="${resourcePath(tag)}">${tag}</a></h2>
          <ul class="operations" data-moved>
            ${members.map((operation) => listed(operation, operation.id))}
          </ul>
        </section>`,
    )}`,
  };
}

function listed(operation: Operation, id?: string): Html {
  const { method, path, summary } = operation;
  return html`<li ${id ? html`id="${id}"` : ''}>
    <a href="${operationUrl(operation)}">${methodName(method)} <code>${path}</code></a>
    <span>${summary}</span>
  </li>`;
}

/** The page of one resource. */
export function resourcePage(tag: string, operations: Operation[], baseUrl: string): DocsPage {
  return {
    path: resourcePath(tag),
    title: `${tag} API`,
    headings: operations.map(({ id, summary }) => ({ id, title: summary })),
    content: html`<h1>${tag}</h1>
      ${operations.map((operation) => section(operation, baseUrl))}`,
  };
}

function section(operation: Operation, baseUrl: string): Html {
  const { id, method, path, summary, description, parameters, status, response, mediaTypes } = operation;
  const words = texts.en;
  const text = html`${heading(2, id, summary)}
    <p class="route">${methodName(method)} <code>${path}</code></p>
    ${description !== '' && html`<p>${prose(description)}</p>`}
    <p class="facts">${access(operation)}</p>
    ${parameterTables(parameters)} ${bodyText(operation)}
    <p class="facts">Returns ${status}${mediaTypes.length > 0 && ` with ${mediaTypes.join(' or ')}`}.</p>
    ${response && fieldTable('Response', fieldLines(response), { marksRequired: false })}
    ${errorTables(operation)}`;
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

function bodyText({ body, fileTypes }: Operation): Html | '' | undefined {
  if (fileTypes.length > 0) {
    return html`<p class="facts">The body is the file itself: ${fileTypes.join(', ')}.</p>`;
  }
  return body && fieldTable('Body', fieldLines(body));
}

function methodName(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function access({ scope }: Operation): Html {
  if (scope === undefined) return html`No API key needed.`;
  return scope === null
    ? html`Needs an API key or a sign-in to the dashboard.`
    : html`Needs an API key with the scope <code>${scope}</code>.`;
}

function parameterTables(parameters: Operation['parameters']): Html[] {
  const places = [
    ['path', 'Path parameters'],
    ['query', 'Query parameters'],
    ['header', 'Headers'],
  ] as const;
  return places.flatMap(([place, title]) => {
    const members = parameters.filter((parameter) => parameter.in === place);
    const properties = Object.fromEntries(members.map(({ name, schema }) => [name, schema]));
    const required = members.filter((parameter) => parameter.required).map(({ name }) => name);
    return fieldTable(title, fieldLines({ type: 'object', properties, required })) || [];
  });
}

/** The errors of the operation; those of every request are folded. */
function errorTables({ errors, commonErrors }: Operation): Html {
  return html`${errors.length > 0 && errorTableOf('Errors', errors)}
    <details class="errors">
      <summary>
        ${errors.length > 0 ? 'Errors of every request' : `Errors: only those of every request`}
      </summary>
      ${errorTableOf('Errors of every request', commonErrors)}
    </details>`;
}

function errorTableOf(title: string, codes: ErrorCode[]): Html {
  const sorted = [...codes].sort((a, b) => errorTable[a].status - errorTable[b].status);
  return html`<div class="table" tabindex="0" role="group" aria-label="${title}">
    <table class="fields">
      <thead>
        <tr>
          <th scope="col">${title}</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${sorted.map(
          (code) =>
            html`<tr>
              <th scope="row">
                <a href="/docs/errors#${code}"><code>${code}</code></a>
                <span class="type">${errorTable[code].status}</span>
              </th>
              <td>${errorTable[code].text}</td>
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

function anchorOf(tag: string): string {
  return resourcePath(tag).slice('/docs/reference/'.length);
}
