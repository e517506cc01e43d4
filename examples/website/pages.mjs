import { iconOf } from './icons.mjs';
import { texts } from './texts.mjs';

const escape = (text) => String(text).replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

const names = { telegram: 'Telegram', max: 'MAX' };
const nameOf = (channel) => names[channel] ?? channel;

/** Herald names the link of each messenger `<channel>_link`; one that is not connected has none. */
function channelsOf(answer) {
  return Object.entries(answer).flatMap(([field, link]) =>
    field.endsWith('_link') && link ? [{ channel: field.slice(0, -'_link'.length), link }] : [],
  );
}

/** The pages in one language, for one visitor. `workflowsUrl` is the namespace in the Temporal UI, or null. */
export function pagesIn(language, { heraldUrl, workflowsUrl, visitor = {} }) {
  const t = texts[language];
  const other = language === 'en' ? 'ru' : 'en';
  const docs = `${heraldUrl}/docs${language === 'ru' ? '/ru' : ''}`;

  function page(title, content) {
    return `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/site.css">
<script type="module" src="/site.js"></script>
<header>
  <a class="brand" href="/">${t.site}</a>
  <nav aria-label="Herald">
    <a href="${escape(heraldUrl)}/dashboard">${t.dashboard}</a> <a href="${escape(docs)}/login">${t.docs}</a>
    <a href="/?lang=${other}" hreflang="${other}" lang="${other}">${t.otherLanguage}</a>
  </nav>
</header>
<div class="columns">
<main>${content}</main>
${story()}
</div>
</html>`;
  }

  /** The panel beside the shop: what the site and Herald said to each other. */
  function story() {
    const entries = visitor.story ?? [];
    const line = ({ kind, what, status, at }) =>
      `<li class="${kind}"><span class="kind">${t.kinds[kind]}</span> <code>${escape(what)}</code>${
        status === '' ? '' : ` <span class="status">${escape(status)}</span>`
      } <time>${at.toLocaleTimeString(language)}</time></li>`;
    return `<aside aria-labelledby="story"><h2 id="story">${t.happened}</h2>
${entries.length === 0 ? `<p>${t.nothingYet}</p>` : `<ol>${entries.map(line).join('')}</ol>`}
${visitor.sessionId ? `<p>${links(visitor.sessionId)}</p>` : ''}
</aside>`;
  }

  function links(id) {
    const dashboard = `<a href="${escape(heraldUrl)}/dashboard/logins/${escape(id)}">${t.inDashboard}</a>`;
    const workflow =
      workflowsUrl &&
      `<a href="${escape(workflowsUrl)}/workflows/${encodeURIComponent(`auth/${id}`)}">${t.asWorkflow}</a>`;
    return [dashboard, workflow].filter(Boolean).join(' · ');
  }

  const shelf = () =>
    `<ul class="shelf">${t.teas
      .map(
        ([name, about, price]) => `<li><strong>${name}</strong><span>${about}</span><em>${price}</em></li>`,
      )
      .join('')}</ul>`;

  const messagePage = (title, text) =>
    page(title, `<h1>${title}</h1><p>${escape(text)}</p><p><a href="/">${t.back}</a></p>`);

  /** What the callback URL received. */
  const received = (code, state = '') => `<p>${t.codeText}</p>
<pre id="code">${escape(code)}</pre>
${state === '' ? '' : `<p>${t.stateText}</p>\n<pre id="state">${escape(state)}</pre>`}
<p>${t.redeemText}</p>`;

  return {
    messagePage,

    loginPage(links) {
      const link = ({ channel, link: address }) =>
        `<a class="button quiet" href="${escape(address)}" target="_blank" rel="noopener">${iconOf(channel)} ${escape(nameOf(channel))}</a> `;
      return page(
        t.site,
        `<h1>${t.site}</h1>
<p class="lead">${t.lead}</p>
<section class="card">
<h2>${t.welcome}</h2>
<p>${t.sessionText}</p>
<p class="actions"><a class="button" href="/login">${t.logIn}</a> <a class="button quiet" href="/login/qr">${t.showQr}</a></p>
<p class="or">${t.staticText}</p>
<p class="actions">${channelsOf(links).map(link).join('')}</p>
<p class="or">${t.embedLine('/embed')}</p>
</section>
${shelf()}
<p class="note">${t.simulated}</p>`,
      );
    },

    /** Greets by name at once; what a real site would keep to itself is folded below. */
    userPage({ user, code, state }) {
      return page(
        t.site,
        `<h1>${t.hello(escape(user.first_name))}</h1>
<section class="card basket">
<h2>${t.basket}</h2>
<p>${t.paymentOffer}</p>
<div class="actions">
<form method="post" action="/payment"><button>${t.pay}</button></form>
<form method="post" action="/logout"><button class="quiet">${t.logOut}</button></form>
</div>
</section>
${shelf()}
<details open><summary>${t.behind}</summary>
<p>${t.codeText}</p>
<pre id="code">${escape(code)}</pre>
<p id="state-check">${state === null ? t.noState : t.stateMatches}</p>
<p>${t.verified}</p>
<pre id="user">${escape(JSON.stringify(user, null, 2))}</pre>
<p>${t.withCurl}</p>
<pre>${escape(verifyCommand(heraldUrl, code))}</pre>
</details>`,
      );
    },

    /** One QR code at a time: a phone would not know which of two it was shown. */
    qrPage(session) {
      const channels = channelsOf(session).map(({ channel }) => channel);
      const choice = (channel, index) =>
        `<input type="radio" name="messenger" id="qr-${channel}"${index === 0 ? ' checked' : ''}><label for="qr-${channel}">${iconOf(channel)} ${escape(nameOf(channel))}</label>
<img src="${escape(session.qr_url)}?channel=${channel}" alt="${t.qrAlt(nameOf(channel))}" width="220" height="220">`;
      return page(
        t.scanTitle,
        `<h1>${t.scanTitle}</h1>
<fieldset class="qrs"><legend>${t.withMessenger}</legend>${channels.map(choice).join('')}</fieldset>
<p>${t.matchCode}: <strong class="match">${escape(session.match_code)}</strong></p>
<p id="status" role="status" data-poll="/login/qr/status" data-declined="${t.declined}" data-ended="${t.ended}">${t.waiting}</p>
<p>${t.noPhone(escape(session.hosted_url))}</p>`,
      );
    },

    /** A static link has no state, so the site asks first: a link from an attacker must not log a visitor in. */
    confirmPage(code) {
      return page(
        t.confirmTitle,
        `<h1>${t.confirmTitle}</h1>
<p>${t.confirmText}</p>
<form method="post" action="/callback"><input type="hidden" name="code" value="${escape(code)}"><button>${t.continue}</button></form>
${received(code)}`,
      );
    },

    /** For a code that this browser did not ask for, as when a script follows a session's `redirect_url`. */
    codePage(code, state) {
      return page(
        t.codeTitle,
        `<h1>${t.codeTitle}</h1>
<p>${t.otherBrowser} ${t.nobodyLoggedIn}</p>
${received(code, state)}
<p><a href="/">${t.back}</a></p>`,
      );
    },

    refusedPage: (error) => messagePage(t.notLoggedIn, error === 'access_denied' ? t.refused : t.unavailable),

    paymentPage(request) {
      return page(
        t.paymentTitle,
        `<h1>${t.paymentTitle}</h1>
<p>${t.paymentText} <strong>${t.paymentMessage}</strong></p>
<p>${t.approvalCode}: <strong class="match">${escape(request.match_code)}</strong></p>
<p id="status" role="status" data-poll="/payment/status" data-approved="${t.approved}" data-declined="${t.paymentDeclined}" data-ended="${t.paymentEnded}">${t.waiting}</p>
<p><a href="/">${t.back}</a></p>`,
      );
    },

    embedPage() {
      const tag = `<script src="${escape(heraldUrl)}/embed.js" data-session-url="/embed/session"></script>`;
      return page(
        t.embedTitle,
        `<h1>${t.embedTitle}</h1>
<p>${t.embedText}</p>
<pre>${escape(tag)}</pre>
<p id="embed-place">${tag}</p>
<p id="embed-result" role="status" data-received="${t.received}" data-exchanged="${t.exchanged}" data-refused="${t.codeRefused}"></p>
<pre id="embed-user" hidden></pre>
<p><a href="${escape(docs)}/embed">${t.embedGuide}</a></p>`,
      );
    },
  };
}

function verifyCommand(heraldUrl, code) {
  return [
    `curl -X POST ${heraldUrl}/v1/auth/verify \\`,
    '  -H "Authorization: Bearer $HERALD_API_KEY" -H "Content-Type: application/json" \\',
    `  -d '${JSON.stringify({ code })}'`,
  ].join('\n');
}
