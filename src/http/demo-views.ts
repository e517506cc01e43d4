import { limits } from '../contract/limits';
import { html, type Html } from './html';

export function demoDocument(title: string, content: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Herald demo</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/demo.css" />
        <script type="module" src="/assets/demo.js"></script>
      </head>
      <body>
        <header>
          <a class="brand" href="/demo">Demo project</a>
          <nav aria-label="Herald"><a href="/dashboard">Dashboard</a> <a href="/docs">Docs</a></nav>
        </header>
        <main>${content}</main>
      </body>
    </html>`.text;
}

export function messagePage(title: string, text: string): string {
  return demoDocument(
    title,
    html`<h1>${title}</h1>
      <p>${text}</p>
      <p><a class="button" href="/demo">Back to the demo</a></p>`,
  );
}

export function demoPage(links: { telegram_link: string | null; max_link: string | null }): string {
  const link = (address: string | null, name: string) =>
    address && html`<a class="button" href="${address}" target="_blank" rel="noopener">${name}</a> `;
  return demoDocument(
    'Log in',
    html`<h1>Try a login</h1>
      <p class="lead">
        This page stands in for a project’s site. The bots run in the simulator, so nothing leaves this
        machine: the links open a simulated phone, where you answer <strong>Yes</strong> or
        <strong>No</strong>.
      </p>
      <div class="flows">
        <section>
          <h2>1. Static link</h2>
          <p>One permanent link. After Yes, the bot shows a button that returns here with the code.</p>
          <p class="actions">${link(links.telegram_link, 'Telegram')}${link(links.max_link, 'MAX')}</p>
        </section>
        <section>
          <h2>2. Session with the hosted page</h2>
          <p>
            The site creates a session with its own <code>state</code> and redirects you to Herald’s login
            page.
          </p>
          <p class="actions"><a class="button" href="/demo/session">Log in</a></p>
        </section>
        <section>
          <h2>3. QR code and polling</h2>
          <p>The site shows the QR code itself and polls until you answer on the phone.</p>
          <p class="actions"><a class="button" href="/demo/qr">Show QR code</a></p>
        </section>
      </div>
      <p>After a login the demo also shows how a site asks you to confirm a payment in the messenger.</p>
      <p>
        There is also an <a href="/demo/embed">embeddable button</a>, which opens the login in a small window.
      </p>`,
  );
}

export function qrPage(session: {
  session_id: string;
  qr_url: string;
  hosted_url: string;
  match_code: string;
}): string {
  const picture = (channel: string, name: string) =>
    html`<figure>
      <img
        src="${session.qr_url}?channel=${channel}"
        alt="QR code to log in with ${name}"
        width="200"
        height="200"
      />
      <figcaption>${name}</figcaption>
    </figure>`;
  return demoDocument(
    'QR login',
    html`<h1>Scan to log in</h1>
      <p>Login code: <strong class="match">${session.match_code}</strong></p>
      <div class="qrs">${picture('telegram', 'Telegram')}${picture('max', 'MAX')}</div>
      <p id="qr-status" role="status" data-session="${session.session_id}">Waiting for your answer…</p>
      <p class="hint">
        No phone at hand?
        <a href="${session.hosted_url}" target="_blank" rel="noopener">Open the login page</a>
        in another tab.
      </p>`,
  );
}

export function refusedPage(error: string): string {
  return messagePage(
    'Not logged in',
    error === 'access_denied'
      ? 'The login was declined or has expired. The site received error=access_denied and no code.'
      : 'Login is not available right now. The site received an error and no code.',
  );
}

export function callbackPage(
  code: string | null,
  { state, matches }: { state: string | null; matches: boolean },
  origin: string,
): string {
  if (code === null) {
    return messagePage(
      'Demo callback',
      'This page was opened without a code. Users return here with one after they confirm a login.',
    );
  }
  return demoDocument(
    'Demo callback',
    html`<h1>Logged in</h1>
      <p>
        The demo project received this one-time code. It works once and expires after
        ${limits.authCodeTtlSeconds} seconds.
      </p>
      <pre id="code">${code}</pre>
      ${
        state === null
          ? html`<p>A static link has no state.</p>`
          : html`<p>The project’s own state came with it:</p>
              <pre id="state">${state}</pre>
              <p id="state-check" class="${matches ? 'good' : 'bad'}">
                ${
                  matches
                    ? 'The state matches this browser.'
                    : 'The state does not match this browser. A real site must stop here.'
                }
              </p>`
      }
      <form method="post" action="/demo/verify">
        <input type="hidden" name="code" value="${code}" />
        <button class="button">Exchange the code for the user</button>
      </form>
      <p>Or call the API as the project’s backend does:</p>
      <pre>${verifyCommand(origin, code)}</pre>`,
  );
}

function verifyCommand(origin: string, code: string): string {
  return [
    `curl -X POST ${origin}/v1/auth/verify \\`,
    "  -H 'Authorization: Bearer <API_KEY>' -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify({ code })}'`,
  ].join('\n');
}

export function userPage(user: Record<string, unknown>): string {
  return demoDocument(
    'The user',
    html`<h1>Hello, <bdi>${user['first_name']}</bdi></h1>
      <p>This is the response of <code>POST /v1/auth/verify</code>. The code cannot be used again.</p>
      <pre id="user">${JSON.stringify(user, null, 2)}</pre>
      <p>The site knows you now. Before something important it can ask you in the messenger again:</p>
      <form method="post" action="/demo/payment"><button class="button">Pay 50 €</button></form>
      <p><a class="button" href="/demo">Log in again</a></p>`,
  );
}

export function embedPage(origin: string): string {
  const tag = `<script src="${origin}/embed.js" data-session-url="/demo/embed/session"></script>`;
  return demoDocument(
    'Embeddable button',
    html`<h1>Embeddable button</h1>
      <p>One script tag adds the button below to a page:</p>
      <pre>${tag}</pre>
      <p id="embed-place">
        <script src="/embed.js" data-session-url="/demo/embed/session"></script>
      </p>
      <p id="embed-result" role="status"></p>
      <pre id="embed-user" hidden></pre>
      <p><a href="/docs/embed">How to use it on your site</a></p>`,
  );
}
