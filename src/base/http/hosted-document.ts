import type { Context } from 'koa';
import { languages, type Language } from '../contract/common';
import { withVersion } from './asset-version';
import { browserLanguage } from './browser-language';
import { html, pageHead, type Html } from './html';

/** A page for the users of a project, in their language, with the project's colour and privacy policy. */
export interface HostedDocument {
  title: string;
  lang: Language;
  content: Html;
  /** Names the style sheet and the script. */
  part: 'login' | 'form';
  /** Further elements of the head. */
  head?: Html | null;
  /** The style sheet with the project's colour. */
  style: string | null | undefined;
  privacyUrl: string | null | undefined;
  words: { privacy: string; language: string };
  /** The address of the page in another language. */
  addressIn: (lang: Language) => string;
}

export function hostedDocument({ title, lang, content, part, head, words, ...page }: HostedDocument): string {
  const { style, privacyUrl, addressIn } = page;
  const link = (to: Language, name: string) =>
    to === lang
      ? html`<span aria-current="true" lang="${to}">${name}</span>`
      : html`<a href="${addressIn(to)}" hreflang="${to}" lang="${to}">${name}</a>`;
  return html`<!doctype html>
    <html lang="${lang}">
      <head>
        ${pageHead({ title, style: `/assets/${part}.css`, noindex: true })}
        ${style && html`<link rel="stylesheet" href="${style}" />`} ${head}
        <script type="module" src="${withVersion(`/assets/${part}.js`)}"></script>
      </head>
      <body>
        <main class="card">${content}</main>
        <footer>
          ${
            privacyUrl &&
            html`<a href="${privacyUrl}" target="_blank" rel="noopener noreferrer">${words.privacy}</a>`
          }
          <nav aria-label="${words.language}">${link('en', 'English')} ${link('ru', 'Русский')}</nav>
        </footer>
      </body>
    </html>`.text;
}

/** The project's logo, or its initial. The heading names the project, so that the picture is decoration. */
export function projectMark(name: string, logo: string | null): Html {
  if (logo) return html`<p class="project"><img class="logo" src="${logo}" alt="" /></p>`;
  const initial = [...new Intl.Segmenter().segment(name)][0]?.segment ?? '';
  return html`<p class="project">
    <span class="initial" aria-hidden="true">${initial.toUpperCase()}</span>
  </p>`;
}

/** ?lang= first, then the browser's own languages in their order. */
export function pageLanguage(ctx: Context): Language {
  return languages.find((language) => language === ctx.query['lang']) ?? browserLanguage(ctx);
}
