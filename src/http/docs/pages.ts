import { errorCodes, errorTable, isRetryable } from '../../contract/errors';
import { eventTypes, isExtension } from '../../events/contract';
import { html } from '../html';
import { docsPage } from './layout';

/** Every error code with an anchor: the target of `docs_url`. */
export function errorsPage(): string {
  const entries = errorCodes.map((code) => {
    const entry = errorTable[code];
    return html`<section class="entry" id="${code}">
      <h2>
        <a class="anchor" href="#${code}"><code>${code}</code></a>
      </h2>
      <p class="facts">
        HTTP ${entry.status} · ${isRetryable(code) ? 'retryable' : 'not retryable'}
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
  return docsPage(
    '/docs/errors',
    'Errors',
    html`<h1>Errors</h1>
      <p>Every error response has this form, with the HTTP status of its code:</p>
      <pre tabindex="0">${envelope}</pre>
      <p>
        If <code>retryable</code> is true, retry with exponential backoff; if there is a
        <code>Retry-After</code> header, wait that many seconds. Otherwise fix the request before retrying.
      </p>
      ${entries}`,
  );
}

export function eventsPage(): string {
  const entries = eventTypes.map(
    (event) =>
      html`<section class="entry" id="${event.name}">
        <h2>
          <a class="anchor" href="#${event.name}"><code>${event.name}</code></a>
        </h2>
        <p>
          ${event.description} ${event.source === 'publisher' ? html`<span class="tag">published</span>` : ''}
          ${isExtension(event.name) ? html`<span class="tag">extension</span>` : ''}
        </p>
        <pre tabindex="0">${JSON.stringify(event.example, null, 2)}</pre>
      </section>`,
  );
  return docsPage(
    '/docs/events',
    'Events',
    html`<h1>Events</h1>
      <p>
        An endpoint subscribes to a list of events, or to all of them with an empty list. The body is always
        <code>{event, data}</code>; see <a href="/docs/webhooks">how to receive webhooks</a>. Events marked
        <span class="tag">published</span> come from other parts of the platform through
        <a href="/docs/reference#post_v1_publish"><code>POST /v1/publish</code></a
        >. Events marked <span class="tag">extension</span> are Herald’s own additions to the catalogue.
        <a href="/docs/reference#get_v1_event_types"><code>GET /v1/event-types</code></a>
        returns the schemas.
      </p>
      ${entries}`,
  );
}
