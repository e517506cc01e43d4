import { errorCodes, errorTable, isRetryable } from '../../contracts/errors';
import { eventTypes } from '../../contracts/event-types';
import { limits } from '../../contracts/limits';
import { commonErrors, type Route, type RouteSpec } from '../route';
import { html, page, type Html } from './html';

/** Every code of the table with its anchor: the target of each `docs_url`. */
export function errorsPage(): string {
  const entries = errorCodes.map((code) => {
    const entry = errorTable[code];
    return html`<section class="entry" id="${code}">
      <h2>
        <a href="#${code}"><code>${code}</code></a>
      </h2>
      <p class="facts">
        HTTP ${entry.status} ·
        ${isRetryable(code) ? 'may be retried' : 'fix the request before sending it again'}
        ${entry.reserved ? html` · reserved` : ''}
      </p>
      <p>${entry.text}</p>
      <p>${entry.help}</p>
    </section>`;
  });
  const envelope = JSON.stringify(
    { error: '…', code: 'validation_failed', retryable: false, docs_url: '…' },
    null,
    2,
  );
  return page(
    'Errors',
    html`<h1>Errors</h1>
      <p>Every error is this object, with the HTTP status of its code:</p>
      <pre>${envelope}</pre>
      ${entries}`,
  );
}

export function eventsPage(): string {
  const entries = eventTypes.map(
    (event) =>
      html`<section class="entry" id="${event.name}">
        <h2>
          <a href="#${event.name}"><code>${event.name}</code></a>
        </h2>
        <p>${event.description} ${event.reserved ? html`<span class="tag">reserved</span>` : ''}</p>
        <pre>${JSON.stringify(event.example, null, 2)}</pre>
      </section>`,
  );
  return page(
    'Events',
    html`<h1>Events</h1>
      ${entries}`,
  );
}

export function referencePage(routes: Route[]): string {
  const tags = [...new Set(routes.map(({ spec }) => spec.tag))];
  return page(
    'API reference',
    html`<h1>API reference</h1>
      <p>
        Send <code>Authorization: Bearer &lt;API_KEY&gt;</code> with each request and JSON in each body. A
        project has ${limits.requestsPerMinute} requests a minute. Errors share
        <a href="/docs/errors">one envelope</a>.
      </p>
      ${tags.map(
        (tag) =>
          html`<h2>${tag}</h2>
            ${routes.filter(({ spec }) => spec.tag === tag).map(({ spec }) => operation(spec))}`,
      )}`,
  );
}

function operation(spec: RouteSpec): Html {
  const codes = [...new Set([...spec.errors, ...commonErrors(spec)])];
  return html`<section class="entry">
    <h3><span class="method">${spec.method}</span> <code>${spec.path}</code></h3>
    <p>${spec.summary}. ${spec.description ?? ''}</p>
    <p class="facts">
      Answers ${spec.status}. Errors:
      ${codes.map((code) => html`<a href="/docs/errors#${code}"><code>${code}</code></a> `)}
    </p>
  </section>`;
}
