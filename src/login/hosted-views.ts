import type { DeclineReason, SessionStatus } from './contract';
import type { Channel, Language } from '../contract/common';
import { html, type Html } from '../http/html';
import { loginTexts, type LoginTexts } from './hosted-texts';

/** A messenger that the page offers. */
export interface Offer {
  channel: Channel;
  name: string;
  bot: string;
  link: string;
  appLink: string | null;
}

export interface LoginDocument {
  title: string;
  lang: Language;
  content: Html;
  /** Reloads itself where there is no JavaScript. */
  refresh?: boolean;
  query?: string;
}

export function loginDocument({ title, lang, content, refresh, query = '' }: LoginDocument): string {
  return html`<!doctype html>
    <html lang="${lang}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/login.css" />
        ${refresh ? html`<noscript><meta http-equiv="refresh" content="4" /></noscript>` : ''}
        <script type="module" src="/assets/login.js"></script>
      </head>
      <body>
        <main class="card">${content}</main>
        <footer>
          <nav aria-label="${loginTexts[lang].language}">
            ${languageLink('en', 'English', lang, query)} ${languageLink('ru', 'Русский', lang, query)}
          </nav>
        </footer>
      </body>
    </html>`.text;
}

function languageLink(lang: Language, name: string, current: Language, query: string): Html {
  if (lang === current) return html`<span aria-current="true" lang="${lang}">${name}</span>`;
  return html`<a href="?${query}lang=${lang}" hreflang="${lang}" lang="${lang}">${name}</a>`;
}

export function messagePage(title: string, text: string): Html {
  return html`<div class="outcome">
    <h1>${title}</h1>
    <p>${text}</p>
  </div>`;
}

export interface WaitingPage {
  t: LoginTexts;
  token: string;
  start: string;
  project: string;
  matchCode: string;
  offers: Offer[];
  status: SessionStatus;
  reason: DeclineReason | null;
  expiresIn: number;
}

/** The page contains every outcome; the script shows the one that applies. */
export function waitingPage(view: WaitingPage): Html {
  const { t, token, status, reason, expiresIn, project } = view;
  const shown = stateOf(status, reason);
  const outcome = (state: string, title: string, text: string, more: Html | '' = '') =>
    html`<section class="outcome ${state}" data-state="${state}" ${shown === state ? '' : hidden}>
      <h1 tabindex="-1">${title}</h1>
      <p>${text}</p>
      ${more}
    </section>`;
  return html`<div id="login" data-token="${token}" data-expires-in="${expiresIn}" data-state="${shown}">
    <section data-state="pending" ${shown === 'pending' ? '' : hidden}>
      <h1>${t.heading(html`<bdi>${project}</bdi>`)}</h1>
      <p class="lead">${t.lead}</p>
      ${matchCode(view)}
      ${view.offers.length > 0 ? channelList(view) : html`<p class="notice">${t.noChannels}</p>`}
      ${view.offers.length > 0 ? fallback(view) : ''}
      <p class="waiting" role="status"><span class="pulse" aria-hidden="true"></span> ${t.waiting}</p>
      <p class="offline" role="alert" hidden>${t.offline}</p>
      <p class="left" data-needs-script hidden>
        ${t.timeLeft}: <span id="countdown" role="timer" aria-live="off"></span>
      </p>
    </section>
    ${outcome(
      'confirmed',
      t.confirmedTitle,
      t.confirmedOnward,
      html`<p><a class="button" id="onward" href="/" hidden>${t.goOn}</a></p>`,
    )}
    ${outcome('done', t.confirmedTitle, t.confirmedReturn)}
    ${outcome('declined', t.declinedTitle, t.declinedText)}
    ${outcome('billing', t.billingTitle, t.billingText)} ${outcome('expired', t.expiredTitle, t.expiredText)}
  </div>`;
}

const hidden = html`hidden`;

function stateOf(status: SessionStatus, reason: DeclineReason | null): string {
  if (status === 'declined') return reason === 'billing_blocked' ? 'billing' : 'declined';
  if (status === 'consumed') return 'done';
  return status;
}

function matchCode({ t, matchCode: code }: WaitingPage): Html {
  return html`<div class="match">
    <p class="match-label" id="match-label">${t.matchLabel}</p>
    <p class="match-code" aria-labelledby="match-label" role="group" translate="no">${code}</p>
    <p class="hint">${t.matchHint}</p>
  </div>`;
}

function channelList({ t, token, offers }: WaitingPage): Html {
  return html`<ul class="channels">
    ${offers.map(({ channel, name, link, appLink }) => {
      const qr = html`<img
        class="qr"
        src="/login/${token}/qr?channel=${channel}"
        alt="${t.qrAlt(name)}"
        width="176"
        height="176"
        loading="lazy"
      />`;
      return html`<li class="channel ${channel}">
        <a class="button" href="${link}" target="_blank" rel="noopener" data-channel="${channel}"
          >${t.open(name)}</a
        >
        ${appLink && html`<a class="app" href="${appLink}">${t.openApp}</a>`}
        <div class="wide">
          ${qr}
          <p class="hint">${t.scan}</p>
        </div>
        <details class="narrow">
          <summary>${t.showQr}</summary>
          ${qr}
        </details>
      </li>`;
    })}
  </ul>`;
}

function fallback({ t, start, offers }: WaitingPage): Html {
  const bots = [...new Set(offers.map(({ bot }) => bot))].join(' / ');
  return html`<div class="fallback">
    <p class="hint" id="fallback-hint">${t.fallback(bots)}</p>
    <p class="command">
      <code id="command" translate="no">/start ${start}</code>
      <button
        type="button"
        id="copy"
        data-needs-script
        data-copied="${t.copied}"
        aria-describedby="fallback-hint"
        hidden
      >
        ${t.copy}
      </button>
    </p>
  </div>`;
}
