import type { DeclineReason, SessionStatus } from './contract';
import type { Channel, Language } from '../../base/contract/common';
import { hostedDocument, projectMark } from '../../base/http/hosted-document';
import { html, type Html } from '../../base/http/html';
import { loginTexts, type LoginTexts } from './hosted-texts';

/** A messenger that the page offers. */
export interface Offer {
  channel: Channel;
  name: string;
  mark: Html;
  bot: string;
  link: string;
  appLink: string | null;
}

/** What the links of a page keep of its address. */
export interface PageQuery {
  mode?: 'popup' | undefined;
  lang?: Language | undefined;
  qr?: Channel | undefined;
}

export interface LoginDocument {
  title: string;
  lang: Language;
  content: Html;
  /** Reloads itself where there is no JavaScript. */
  refresh?: boolean;
  query?: PageQuery;
  /** The style sheet with the project's colour. */
  style?: string | null;
  privacyUrl?: string | null;
}

export function loginDocument(page: LoginDocument): string {
  const { title, lang, content, refresh, query = {}, style, privacyUrl } = page;
  return hostedDocument({
    title,
    lang,
    content,
    part: 'login',
    head: refresh ? html`<noscript><meta http-equiv="refresh" content="4" /></noscript>` : null,
    style,
    privacyUrl,
    words: loginTexts[lang],
    addressIn: (to) => search({ ...query, lang: to }),
  });
}

function search(query: PageQuery): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [`${name}=${value}`] : []));
  return `?${given.join('&')}`;
}

export function messagePage(
  title: string,
  text: string,
  link: { href: string | null; text: string } | null = null,
): Html {
  return html`<div class="outcome">
    <h1>${title}</h1>
    <p>${text}</p>
    ${link?.href && html`<p><a class="button" href="${link.href}">${link.text}</a></p>`}
  </div>`;
}

export interface WaitingPage {
  t: LoginTexts;
  token: string;
  start: string;
  project: string;
  /** Path of the project's logo. */
  logo: string | null;
  matchCode: string;
  offers: Offer[];
  status: SessionStatus;
  reason: DeclineReason | null;
  expiresIn: number;
  /** Back to the site without a code, by outcome; null without a callback URL. */
  back: Record<'declined' | 'billing' | 'expired', string> | null;
  query: PageQuery;
  /** `reload`: after any outcome the service redirects this page. */
  onward: 'reload' | null;
  /** What the device shows that waits for this login. */
  userCode: string | null;
}

/** The page contains every outcome; the script shows the one that applies. */
export function waitingPage(view: WaitingPage): Html {
  const { t, token, status, reason, expiresIn, back } = view;
  const shown = stateOf(status, reason);
  const outcome = (state: string, title: string, text: string, more: Html | null = null) =>
    html`<section class="outcome ${state}" data-state="${state}" ${shown === state ? '' : hidden}>
      <h1 tabindex="-1">${title}</h1>
      <p>${text}</p>
      ${more}
    </section>`;
  const backLink = (state: keyof NonNullable<WaitingPage['back']>) =>
    back && html`<p><a class="button" href="${back[state]}">${t.back}</a></p>`;
  return html`<div
    id="login"
    data-token="${token}"
    data-expires-in="${expiresIn}"
    data-state="${shown}"
    ${view.onward && html`data-onward="${view.onward}"`}
  >
    ${projectMark(view.project, view.logo)}
    <section class="pending" data-state="pending" ${shown === 'pending' ? '' : hidden}>
      ${question(view)} ${view.offers.length > 0 ? [scan(view), help(view)] : ''}
    </section>
    ${outcome(
      'confirmed',
      t.confirmedTitle,
      t.confirmedOnward,
      html`<p><a class="button" id="onward" href="/" hidden>${t.goOn}</a></p>`,
    )}
    ${outcome('done', t.confirmedTitle, view.userCode ? t.confirmedDevice : t.confirmedReturn)}
    ${outcome('declined', t.declinedTitle, t.declinedText, backLink('declined'))}
    ${outcome('billing', t.billingTitle, t.billingText, backLink('billing'))}
    ${outcome('expired', t.expiredTitle, t.expiredText, backLink('expired'))}
  </div>`;
}

const hidden = html`hidden`;

function stateOf(status: SessionStatus, reason: DeclineReason | null): string {
  if (status === 'declined') return reason === 'billing_blocked' ? 'billing' : 'declined';
  if (status === 'consumed') return 'done';
  return status;
}

function question({ t, project, matchCode, offers, userCode }: WaitingPage): Html {
  const name = html`<bdi>${project}</bdi>`;
  return html`<div class="question">
    <h1>${t.heading(name)}</h1>
    <p class="lead">${t.lead}</p>
    ${userCode && html`<p class="notice">${t.deviceHint(html`<strong translate="no">${userCode}</strong>`)}</p>`}
    ${
      offers.length > 0
        ? html`<ul class="channels">
            ${offers.map(
              ({ channel, name: messenger, mark, link }) =>
                html`<li>
                  <a class="button" href="${link}" target="_blank" rel="noopener" data-channel="${channel}"
                    >${mark}<span>${t.open(messenger)}</span></a
                  >
                </li>`,
            )}
          </ul>`
        : html`<p class="notice">${t.noChannels}</p>`
    }
    <div class="match">
      <p class="match-label" id="match-label">${t.matchLabel}</p>
      <p class="match-code" aria-labelledby="match-label" role="group" translate="no">${matchCode}</p>
      <p class="hint">${t.matchHint}</p>
    </div>
    <p class="state">
      <span class="pulse" aria-hidden="true"></span>
      <span class="waiting" role="status">${t.waiting}</span>
      <span class="left" data-needs-script hidden
        ><span class="visually-hidden">${t.timeLeft}: </span
        ><span id="countdown" role="timer" aria-live="off"></span
      ></span>
    </p>
    <p class="offline" role="alert" hidden>${t.offline}</p>
    <p class="hint consent">${t.consent(name)}</p>
  </div>`;
}

/** One QR code at a time. The switch is made of links, which the script turns into tabs. */
function scan({ t, token, offers, query }: WaitingPage): Html {
  const chosen = offers.find(({ channel }) => channel === query.qr) ?? offers[0];
  return html`<div class="scan">
    <p class="scan-title" id="scan-title">${t.scan}</p>
    ${
      offers.length > 1 &&
      html`<nav class="tabs" aria-labelledby="scan-title">
        ${offers.map(
          ({ channel, name, mark }) =>
            html`<a
              id="tab-${channel}"
              href="${search({ ...query, qr: channel })}"
              data-panel="qr-${channel}"
              ${channel === chosen?.channel ? html`aria-current="true"` : ''}
              >${mark}${name}</a
            >`,
        )}
      </nav>`
    }
    ${offers.map(
      ({ channel, name }) =>
        html`<div id="qr-${channel}" class="qr-panel" ${channel === chosen?.channel ? '' : hidden}>
          <img
            class="qr"
            src="/login/${token}/qr?channel=${channel}"
            alt="${t.qrAlt(name)}"
            width="184"
            height="184"
            loading="lazy"
          />
        </div>`,
    )}
  </div>`;
}

/** Open where there is no script: the page's reload would fold it again. */
function help({ t, start, offers }: WaitingPage): Html {
  const bots = [...new Set(offers.map(({ bot }) => bot))].join(' / ');
  const apps = offers.filter(({ appLink }) => appLink !== null);
  return html`<details class="help" open>
    <summary>${t.help}</summary>
    <div>
      ${
        apps.length > 0 &&
        html`<p class="hint">
          ${t.openApp} ${apps.map(({ name, appLink }) => html`<a class="app" href="${appLink}">${name}</a>`)}
        </p>`
      }
      <p class="hint" id="command-hint">${t.sendCommand(bots)}</p>
      <p class="command">
        <code id="command" translate="no">/start ${start}</code>
        <button
          type="button"
          class="btn"
          id="copy"
          data-needs-script
          data-copied="${t.copied}"
          aria-describedby="command-hint"
          hidden
        >
          ${t.copy}
        </button>
      </p>
    </div>
  </details>`;
}
