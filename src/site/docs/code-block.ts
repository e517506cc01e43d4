import { html, type Html } from '../../base/http/html';
import { highlight } from './highlight';
import { languages, type LanguageId, type SampleRequest } from './samples';
import type { Texts } from './texts';

/** A block of code with its title and a button that copies it. */
export function codeBlock(code: string, language: string, title: string, texts: Texts): Html {
  return html`<figure class="code">
    <figcaption class="bar"><span>${title}</span>${copyButton(texts)}</figcaption>
    <pre tabindex="0" aria-label="${title}"><code>${highlight(code, language)}</code></pre>
  </figure>`;
}

export interface Tab {
  id: LanguageId;
  code: string;
}

/**
 * The same in several languages. The tabs are radio buttons, so that they work without a script; with it, a choice
 * holds for all blocks and visits.
 */
export function tabbedBlock(tabs: Tab[], title: string, name: string, texts: Texts): Html {
  const shown = languages.flatMap((language) => {
    const tab = tabs.find(({ id }) => id === language.id);
    return tab ? [{ ...language, code: tab.code }] : [];
  });
  // Readers whose choice is missing here see the first tab.
  const missing = languages.filter(({ id }) => !tabs.some((tab) => tab.id === id)).map(({ id }) => id);
  return html`<div
    class="code samples"
    data-first="${shown[0]?.id}"
    ${missing.length > 0 ? html`data-missing="${missing.join(' ')}"` : ''}
  >
    <div class="bar">
      <fieldset class="languages">
        <legend class="visually-hidden">${title}: ${texts.language}</legend>
        ${shown.map(
          ({ id, title: label }, index) =>
            html`<label data-language="${id}"
              ><input
                type="radio"
                name="${name}"
                value="${id}"
                autocomplete="off"
                ${index === 0 ? html`checked` : ''}
              />${label}</label
            >`,
        )}
      </fieldset>
      ${copyButton(texts)}
    </div>
    ${shown.map(
      ({ id, grammar, title: label, code }) =>
        html`<pre
          class="pane"
          data-language="${id}"
          tabindex="0"
          aria-label="${title}, ${label}"
        ><code>${highlight(code, grammar)}</code></pre>`,
    )}
  </div>`;
}

/** A request in every language. */
export function requestBlock(request: SampleRequest, name: string, texts: Texts): Html {
  const tabs = languages.map(({ id, write }) => ({ id, code: write(request) }));
  return tabbedBlock(tabs, texts.request, name, texts);
}

function copyButton(texts: Texts): Html {
  return html`<button class="copy" type="button" data-done="${texts.copied}">${texts.copy}</button>`;
}
