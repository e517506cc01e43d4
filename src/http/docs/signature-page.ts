import { html } from '../html';
import { row, type DocsPage } from './layout';

/** The signature debugger. A script checks in the browser; what is pasted is sent nowhere. */
export function signaturePage(): DocsPage {
  return {
    path: '/docs/signature',
    title: 'Signature debugger',
    content: html`${row(
        html`<h1>Signature debugger</h1>
          <p>
            Your receiver rejects a webhook? Paste what it received, and the debugger says what is wrong: the
            secret, the body or the time. It checks <code>X-Service-Signature</code> and the headers of
            <a href="/docs/webhooks">Standard Webhooks</a>.
          </p>
          <p>
            <strong>Nothing leaves this page.</strong> The check runs in your browser. The headers and the
            body of every attempt are in the dashboard, on the page of the delivery.
          </p>`,
      )}
      <noscript><p class="notice">The debugger needs JavaScript.</p></noscript>
      <form id="signature" class="row form" autocomplete="off" hidden>
        <div class="text">
          <label for="signature-headers">Request headers</label>
          <textarea
            id="signature-headers"
            rows="8"
            spellcheck="false"
            placeholder="X-Service-Timestamp: 1768473000
X-Service-Signature: t=1768473000,v1=…"
          ></textarea>
          <label for="signature-body">Raw request body</label>
          <textarea
            id="signature-body"
            rows="8"
            spellcheck="false"
            placeholder='{"event":"auth.completed","data":{…}}'
          ></textarea>
          <label for="signature-secret">Secret of the endpoint</label>
          <input id="signature-secret" type="text" spellcheck="false" placeholder="whsec_…" />
          <p><button class="btn primary" type="submit">Check the signature</button></p>
        </div>
        <div class="aside">
          <div id="signature-result" role="status"></div>
        </div>
      </form>`,
  };
}
