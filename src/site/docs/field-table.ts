import { html, type Html } from '../../base/http/html';
import { prose } from './prose';
import type { FieldLine } from './schema-fields';
import type { Texts } from './texts';

/** Longer lists of values are folded. */
const SHOWN_VALUES = 12;

/** A table of fields: name and type, then meaning, limits and allowed values. */
export function fieldTable(
  title: string,
  lines: FieldLine[],
  words: Texts,
  { marksRequired = true } = {},
): Html | '' {
  if (lines.length === 0) return '';
  return html`<div class="table" tabindex="0" role="group" aria-label="${title}">
    <table class="fields">
      <thead>
        <tr>
          <th scope="col">${title}</th>
          <th scope="col">${words.description}</th>
        </tr>
      </thead>
      <tbody>
        ${lines.map((line) =>
          line.type === ''
            ? html`<tr class="variant">
                <td colspan="2">${line.name}</td>
              </tr>`
            : html`<tr>
                <th scope="row">
                  <code>${line.name}</code>
                  <span class="type">${line.type}</span>
                  ${marksRequired && line.required && html`<span class="required">${words.required}</span>`}
                </th>
                <td>${prose(line.description)} ${values(line.values, words)}</td>
              </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function values(list: string[], words: Texts): Html | '' {
  if (list.length === 0) return '';
  const chips = list.map((value) => html`<code>${value}</code> `);
  return list.length > SHOWN_VALUES
    ? html`<details class="values">
        <summary>${words.values(list.length)}</summary>
        ${chips}
      </details>`
    : html`<span class="values">${list.length > 1 ? words.oneOf : words.always} ${chips}</span>`;
}
