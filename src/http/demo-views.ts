import type { Language } from '../contract/common';
import { limits } from '../contract/limits';
import { demoTexts } from './demo-texts';
import { html, pageHead, type Html } from './html';

/** The pages of the demo site in one language. */
export function demoViews(language: Language) {
  const t = demoTexts[language];
  const other = language === 'en' ? 'ru' : 'en';
  const guides = language === 'ru' ? '/docs/ru/login' : '/docs';

  function demoDocument(title: string, content: Html): string {
    return html`<!doctype html>
      <html lang="${language}">
        <head>
          ${pageHead({ title: `${title} · Herald demo`, style: '/assets/demo.css' })}
          <script type="module" src="/assets/demo.js"></script>
        </head>
        <body>
          <header>
            <a class="brand" href="/demo">${t.site}</a>
            <nav aria-label="Herald">
              <a href="/dashboard">${t.dashboard}</a> <a href="${guides}">${t.docs}</a>
              <a href="/demo?lang=${other}" hreflang="${other}" lang="${other}">${t.otherLanguage}</a>
            </nav>
          </header>
          <main>${content}</main>
        </body>
      </html>`.text;
  }

  function messagePage(title: string, text: string): string {
    return demoDocument(
      title,
      html`<h1>${title}</h1>
        <p>${text}</p>
        <p><a class="button" href="/demo">${t.back}</a></p>`,
    );
  }

  return {
    messagePage,
    errorPage: (error: string) => messagePage(t.failed, error),

    demoPage(links: { telegram_link: string | null; max_link: string | null }): string {
      const link = (address: string | null, name: string) =>
        address && html`<a class="button" href="${address}" target="_blank" rel="noopener">${name}</a> `;
      return demoDocument(
        t.logIn,
        html`<h1>${t.tryTitle}</h1>
          <p class="lead">${t.lead}</p>
          <div class="flows">
            <section>
              <h2>${t.staticTitle}</h2>
              <p>${t.staticText}</p>
              <p class="actions">${link(links.telegram_link, 'Telegram')}${link(links.max_link, 'MAX')}</p>
            </section>
            <section>
              <h2>${t.sessionTitle}</h2>
              <p>${t.sessionText}</p>
              <p class="actions"><a class="button" href="/demo/session">${t.logIn}</a></p>
            </section>
            <section>
              <h2>${t.qrTitle}</h2>
              <p>${t.qrText}</p>
              <p class="actions"><a class="button" href="/demo/qr">${t.showQr}</a></p>
            </section>
          </div>
          <p>${t.paymentLine}</p>
          <p>${t.embedLine('/demo/embed')}</p>`,
      );
    },

    qrPage(session: { session_id: string; qr_url: string; hosted_url: string; match_code: string }): string {
      const picture = (channel: string, name: string) =>
        html`<figure>
          <img src="${session.qr_url}?channel=${channel}" alt="${t.qrAlt(name)}" width="200" height="200" />
          <figcaption>${name}</figcaption>
        </figure>`;
      return demoDocument(
        t.scanPage,
        html`<h1>${t.scanTitle}</h1>
          <p>${t.matchCode}: <strong class="match">${session.match_code}</strong></p>
          <div class="qrs">${picture('telegram', 'Telegram')}${picture('max', 'MAX')}</div>
          <p id="qr-status" role="status" data-session="${session.session_id}">${t.waiting}</p>
          <p class="hint">${t.noPhone(session.hosted_url)}</p>`,
      );
    },

    refusedPage(error: string): string {
      return messagePage(t.notLoggedIn, error === 'access_denied' ? t.refused : t.unavailable);
    },

    callbackPage(
      code: string | null,
      { state, matches }: { state: string | null; matches: boolean },
      origin: string,
    ): string {
      if (code === null) return messagePage(t.callback, t.withoutCode);
      return demoDocument(
        t.callback,
        html`<h1>${t.loggedIn}</h1>
          <p>${t.codeText(limits.authCodeTtlSeconds)}</p>
          <pre id="code">${code}</pre>
          ${
            state === null
              ? html`<p>${t.noState}</p>`
              : html`<p>${t.stateText}</p>
                  <pre id="state">${state}</pre>
                  <p id="state-check" class="${matches ? 'good' : 'bad'}">
                    ${matches ? t.stateMatches : t.stateDiffers}
                  </p>`
          }
          <form method="post" action="/demo/verify">
            <input type="hidden" name="code" value="${code}" />
            <button class="button">${t.exchange}</button>
          </form>
          <p>${t.orCall}</p>
          <pre>${verifyCommand(origin, code)}</pre>`,
      );
    },

    userPage(user: Record<string, unknown>): string {
      return demoDocument(
        t.user,
        html`<h1>${t.hello(user['first_name'])}</h1>
          <p>${t.userText}</p>
          <pre id="user">${JSON.stringify(user, null, 2)}</pre>
          <p>${t.paymentOffer}</p>
          <form method="post" action="/demo/payment"><button class="button">${t.pay}</button></form>
          <p><a class="button" href="/demo">${t.again}</a></p>`,
      );
    },

    loginFirstPage: () => messagePage(t.loginFirst, t.loginFirstText),

    paymentPage(request: { request_id: string; match_code: string; message: string }): string {
      return demoDocument(
        t.payment,
        html`<h1>${t.confirmTitle}</h1>
          <p>${t.confirmText} <strong>${request.message}</strong></p>
          <p>${t.matchCode}: <strong class="match">${request.match_code}</strong></p>
          <p id="payment-status" role="status" data-request="${request.request_id}">${t.waiting}</p>
          <p><a class="button" href="/demo">${t.back}</a></p>`,
      );
    },

    embedPage(origin: string): string {
      const tag = `<script src="${origin}/embed.js" data-session-url="/demo/embed/session"></script>`;
      return demoDocument(
        t.embedTitle,
        html`<h1>${t.embedTitle}</h1>
          <p>${t.embedText}</p>
          <pre>${tag}</pre>
          <p id="embed-place">
            <script src="/embed.js" data-session-url="/demo/embed/session"></script>
          </p>
          <p id="embed-result" role="status"></p>
          <pre id="embed-user" hidden></pre>
          <p><a href="/docs/embed">${t.embedGuide}</a></p>`,
      );
    },
  };
}

function verifyCommand(origin: string, code: string): string {
  return [
    `curl -X POST ${origin}/v1/auth/verify \\`,
    "  -H 'Authorization: Bearer <API_KEY>' -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify({ code })}'`,
  ].join('\n');
}
