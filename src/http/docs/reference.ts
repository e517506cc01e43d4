import { limits } from '../../contract/limits';
import { html, type Html } from '../html';
import { docsPage } from './layout';
import { exampleBody, fieldLines } from './schema-fields';

type Json = Record<string, unknown>;

/** The part of an OpenAPI operation that the page shows. */
interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: unknown[];
  parameters: { name: string; in: string; required: boolean; schema: Json }[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>;
}

export interface ListedOperation extends Operation {
  method: string;
  path: string;
}

/** Every operation of the OpenAPI document, in its order. */
export function listOperations(document: Json): ListedOperation[] {
  const paths = document['paths'] as Record<string, Record<string, Operation>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
}

function byTag(operations: ListedOperation[]): [string, ListedOperation[]][] {
  const tags = [...new Set(operations.map(({ tags }) => tags[0] ?? ''))];
  return tags.map((tag) => [tag, operations.filter((operation) => operation.tags[0] === tag)]);
}

/** The list of operations on the first page. */
export function operationList(operations: ListedOperation[]): Html {
  return html`${byTag(operations).map(
    ([tag, members]) =>
      html`<h3>${tag}</h3>
        <ul class="operations">
          ${members.map(
            ({ method, path, operationId, summary }) =>
              html`<li>
                <a href="/docs/reference#${operationId}"
                  ><span class="method">${method}</span> <code>${path}</code></a
                >
                ${summary}
              </li>`,
          )}
        </ul>`,
  )}`;
}

export function referencePage(operations: ListedOperation[], baseUrl: string): string {
  return docsPage(
    '/docs/reference',
    'API reference',
    html`<h1>API reference</h1>
      <p>
        Send <code>Authorization: Bearer &lt;API_KEY&gt;</code> with each request, and JSON bodies. A project
        can send ${limits.requestsPerMinute} requests per minute. Errors share
        <a href="/docs/errors">one format</a>; lists are <code>{data, next_cursor}</code>, newest first. Also
        available as <a href="/openapi.json">OpenAPI 3.1</a>.
      </p>
      ${byTag(operations).map(
        ([tag, members]) =>
          html`<h2 id="${tag.toLowerCase().replaceAll(' ', '-')}">${tag}</h2>
            ${members.map((operation) => section(operation, baseUrl))}`,
      )}`,
  );
}

function section(operation: ListedOperation, baseUrl: string): Html {
  const { method, path, operationId, summary, description } = operation;
  const body = operation.requestBody?.content['application/json']?.schema;
  const [status = '', success] = Object.entries(operation.responses).find(([code]) => code < '300') ?? [];
  const response = success?.content?.['application/json']?.schema;
  const types = Object.keys(success?.content ?? {}).filter((type) => type !== 'application/json');
  return html`<section class="entry" id="${operationId}">
    <h3>
      <a class="anchor" href="#${operationId}"><span class="method">${method}</span> <code>${path}</code></a>
    </h3>
    <p>${summary}. ${description && prose(description)}</p>
    ${operation.security.length === 0 && html`<p class="facts">No API key needed.</p>`}
    ${parameters(operation)} ${body && fields('Body', body)}
    <p class="facts">Returns ${status}${types.length > 0 && ` with ${types.join(' or ')}`}.</p>
    ${response && fields('Response', response)}
    <p class="facts">Errors: ${errors(operation)}</p>
    <details>
      <summary>Example</summary>
      <pre tabindex="0"><code>${curl(operation, body, baseUrl)}</code></pre>
    </details>
  </section>`;
}

/** Renders backticks in descriptions as code. */
function prose(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

function parameters({ parameters: list }: ListedOperation): Html | '' {
  if (list.length === 0) return '';
  const properties = Object.fromEntries(list.map(({ name, schema }) => [name, schema]));
  const required = list.filter((parameter) => parameter.required).map(({ name }) => name);
  const places = new Map(list.map((parameter) => [parameter.name, parameter.in]));
  return table(
    'Parameters',
    fieldLines({ type: 'object', properties, required }).map((line) => ({
      ...line,
      type: `${line.type}, in the ${places.get(line.name) ?? 'query'}`,
    })),
  );
}

function fields(title: string, schema: Json): Html | '' {
  const lines = fieldLines(schema);
  return lines.length === 0 ? '' : table(title, lines, title === 'Body');
}

function table(title: string, lines: ReturnType<typeof fieldLines>, marksRequired = true): Html {
  return html`<div class="table" tabindex="0" role="group" aria-label="${title}">
    <table class="fields">
      <thead>
        <tr>
          <th scope="col">${title}</th>
          <th scope="col">Type</th>
          <th scope="col">Description</th>
        </tr>
      </thead>
      <tbody>
        ${lines.map((line) =>
          line.type === ''
            ? html`<tr>
                <td colspan="3"><em>${line.name}</em></td>
              </tr>`
            : html`<tr>
                <td><code>${line.name}</code> ${marksRequired && line.required && html`<b>required</b>`}</td>
                <td>${line.type}</td>
                <td>${prose(line.description)}</td>
              </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function errors({ responses }: ListedOperation): Html[] {
  return Object.entries(responses)
    .filter(([status]) => status >= '400')
    .flatMap(([status, { description }]) =>
      [...description.matchAll(/^`(\w+)`/gm)].map(
        ([, code]) => html`<a href="/docs/errors#${code}"><code>${code}</code></a> (${status}) `,
      ),
    );
}

function curl({ method, path, security }: ListedOperation, body: Json | undefined, baseUrl: string): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, '<$1>');
  const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} '${baseUrl}${filled}'`];
  if (security.length > 0) lines.push(`  -H 'Authorization: Bearer <API_KEY>'`);
  if (body) {
    lines.push(`  -H 'Content-Type: application/json'`, `  -d '${JSON.stringify(exampleBody(body))}'`);
  }
  return lines.join(' \\\n');
}
