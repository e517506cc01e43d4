import { errorCodes, errorTable, isRetryable } from '../../contract/errors';
import { eventTypes, isExtension } from '../../events/contract';
import { html, type Html } from '../html';
import { codeBlock } from './code-block';
import { fieldTable } from './field-table';
import { heading, row, type DocsPage } from './layout';
import { reasonTexts } from './reasons';
import type { Json } from './samples/request';
import { fieldLines } from './schema-fields';
import { texts } from './texts';

/** Every error code with an anchor: the target of `docs_url`. */
export function errorsPage(): DocsPage {
  const entries = errorCodes.map((code) => {
    const entry = errorTable[code];
    return html`<section class="entry" id="${code}">
      <h2>
        <a class="anchor" href="#${code}"><code>${code}</code></a>
      </h2>
      <p class="facts">HTTP ${entry.status} · ${isRetryable(code) ? 'retryable' : 'not retryable'}</p>
      <p>${entry.text}</p>
      <p>${entry.help}</p>
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
    title: 'Errors',
    content: html`${row(
      html`<h1>Errors</h1>
        <p>Every error response has this form, with the HTTP status of its code.</p>
        <p>
          If <code>retryable</code> is true, retry with exponential backoff; if there is a
          <code>Retry-After</code> header, wait that many seconds. Otherwise fix the request before retrying.
        </p>`,
      codeBlock(envelope, 'json', texts.en.response, texts.en),
    )}
    ${entries}`,
  };
}

export function eventsPage(operationUrl: (id: string) => string): DocsPage {
  const types = eventTypes();
  const entries = types.map((event) => {
    const data = (event.schema['properties'] as Record<string, Json>)['data'] ?? {};
    const text = html`<h2>
        <a class="anchor" href="#${event.name}"><code>${event.name}</code></a>
      </h2>
      <p>
        ${event.description}
        ${event.source === 'publisher' ? html`<span class="badge warn">published</span>` : ''}
        ${isExtension(event.name) ? html`<span class="badge">extension</span>` : ''}
      </p>
      ${fieldTable('Fields of data', fieldLines(data), { marksRequired: false })} ${reasons(event.name, data)}`;
    const example = JSON.stringify(event.example, null, 2);
    return html`<section class="entry" id="${event.name}">
      ${row(text, codeBlock(example, 'json', texts.en.example, texts.en))}
    </section>`;
  });
  return {
    path: '/docs/events',
    title: 'Events',
    headings: types.map(({ name }) => ({ id: name, title: name })),
    content: html`<h1>Events</h1>
      <p class="lead">
        An endpoint subscribes to a list of events, or to all of them with an empty list. The body is always
        <code>{event, data}</code>; see <a href="/docs/webhooks">how to receive webhooks</a>. Events marked
        <span class="badge warn">published</span> come from other parts of the platform through
        <a href="${operationUrl('post_v1_publish')}"><code>POST /v1/publish</code></a
        >. Events marked <span class="badge">extension</span> are Herald’s own additions to the catalogue.
        <a href="${operationUrl('get_v1_event_types')}"><code>GET /v1/event-types</code></a>
        returns the schemas.
      </p>
      ${entries}`,
  };
}

/** What each value of `reason` means, if the event has such a field. */
function reasons(name: string, data: Json): Html | '' {
  const { reason } = (data['properties'] ?? {}) as Record<string, Json | undefined>;
  const values = (reason?.['enum'] ?? []) as string[];
  if (values.length === 0) return '';
  return html`${heading(3, `${name}-reason`, 'Values of reason')}
    <div class="table" tabindex="0" role="group" aria-label="Values of reason">
      <table class="fields">
        <thead>
          <tr>
            <th scope="col">reason</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          ${values.map(
            (value) =>
              html`<tr>
                <th scope="row"><code>${value}</code></th>
                <td>${reasonTexts[value]}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}
