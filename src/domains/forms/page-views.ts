import type { Language } from '../../base/contract/common';
import { limits } from '../../base/contract/limits';
import { hostedDocument, projectMark } from '../../base/http/hosted-document';
import { html, type Html } from '../../base/http/html';
import { logoPath, stylePath } from '../projects';
import { explainFault, type Fault } from './answers';
import { boundsOf, labelOf, titleOf, type Field } from './contract';
import type { OpenForm } from './open-forms';
import { formTexts } from './page-texts';

/** What of the page's address its links keep. */
export interface PageAddress {
  path: string;
  /** The signed part of a subscriber's link. */
  signed: string | null;
}

interface Document {
  title: string;
  lang: Language;
  content: Html;
  address: PageAddress;
  form: Pick<OpenForm, 'brand_color' | 'privacy_url'> | null;
}

export function formDocument({ title, lang, content, address, form }: Document): string {
  return hostedDocument({
    title,
    lang,
    content,
    part: 'form',
    style: form?.brand_color && stylePath(form.brand_color),
    privacyUrl: form?.privacy_url,
    words: formTexts[lang],
    addressIn: (to) => addressOf(address, to),
  });
}

export function addressOf({ path, signed }: PageAddress, lang: Language): string {
  return `${path}?${signed === null ? '' : `s=${encodeURIComponent(signed)}&`}lang=${lang}`;
}

/** After a submission, or instead of the form. */
export function outcomeView(
  kind: 'done' | 'refused',
  title: string,
  text: string,
  form: OpenForm | null,
): Html {
  return html`${form && markOf(form)}
    <div class="outcome ${kind}">
      <h1>${title}</h1>
      <p>${text}</p>
    </div>`;
}

export interface Filled {
  /** As the browser sent them. */
  given: Readonly<Record<string, unknown>>;
  faults: Readonly<Record<string, Fault>>;
}

/** The form, with the answers and the faults of a submission that was refused. */
export function formView(
  form: OpenForm,
  lang: Language,
  { address, token, filled }: { address: PageAddress; token: string; filled: Filled },
): Html {
  const t = formTexts[lang];
  const isFaulty = Object.keys(filled.faults).length > 0;
  return html`${markOf(form)}
    <h1>${titleOf(form, lang)}</h1>
    <p class="hint"><bdi>${form.project_name}</bdi></p>
    ${isFaulty && html`<p class="faults" role="alert" tabindex="-1">${t.faults}</p>`}
    <form method="post" action="${addressOf(address, lang)}">
      <div class="fields">${form.fields.map((field) => fieldView(field, lang, filled))}</div>
      <div class="trap" aria-hidden="true">
        <label for="trap">${t.trap}</label>
        <input id="trap" name="_hp" type="text" tabindex="-1" autocomplete="off" />
      </div>
      <input type="hidden" name="_token" value="${token}" />
      <button class="button" type="submit">${t.send}</button>
    </form>`;
}

function markOf({ project_name, logo_id }: OpenForm): Html {
  return projectMark(project_name, logo_id && logoPath(logo_id));
}

function fieldView(field: Field, lang: Language, { given, faults }: Filled): Html {
  const fault = Object.hasOwn(faults, field.key) ? faults[field.key] : undefined;
  const value = Object.hasOwn(given, field.key) ? given[field.key] : undefined;
  const view = { field, lang, value, fault };
  if (field.type === 'multiselect') return choicesView(view);
  return field.type === 'checkbox' ? checkboxView(view) : inputView(view);
}

interface Shown {
  field: Field;
  lang: Language;
  value: unknown;
  fault: Fault | undefined;
}

const idOf = ({ key }: Field) => `field-${key}`;

function labelText(field: Field, lang: Language): Html {
  return html`${labelOf(field, lang) ?? field.key}${
    !field.required && html` <span class="optional">(${formTexts[lang].optional})</span>`
  }`;
}

function faultView({ field, lang, fault }: Shown): Html | null {
  return fault ? html`<p class="fault" id="${idOf(field)}-fault">${explainFault(fault, lang)}</p>` : null;
}

/** The attributes that each control has. */
function attributes({ field, fault }: Shown): Html {
  return html`name="${field.key}" ${field.required && html`required`}
  ${fault && html`aria-invalid="true" aria-describedby="${idOf(field)}-fault"`}`;
}

const inputTypes: Partial<Record<Field['type'], string>> = {
  email: 'email',
  phone: 'tel',
  number: 'number',
  date: 'date',
};
const completions: Partial<Record<Field['type'], string>> = { email: 'email', phone: 'tel' };

function inputView(shown: Shown): Html {
  const { field, lang, value } = shown;
  const id = idOf(field);
  return html`<div class="field">
    <label for="${id}">${labelText(field, lang)}</label>
    ${control(shown, id, typeof value === 'string' ? value : '')} ${faultView(shown)}
  </div>`;
}

function control(shown: Shown, id: string, text: string): Html {
  const { field, lang } = shown;
  if (field.type === 'textarea') {
    // The line break after the tag is dropped by browsers: one at the beginning of the text stays.
    return html`<textarea id="${id}" ${attributes(shown)} ${bounds(field)} rows="5">${text}</textarea>`;
  }
  if (field.type === 'select') {
    return html`<select id="${id}" ${attributes(shown)}>
      <option value="">${formTexts[lang].choose}</option>
      ${field.options?.map(
        (option) =>
          html`<option value="${option.value}" ${option.value === text && html`selected`}>
            ${labelOf(option, lang) ?? option.value}
          </option>`,
      )}
    </select>`;
  }
  return html`<input
    id="${id}"
    type="${inputTypes[field.type] ?? 'text'}"
    ${attributes(shown)}
    ${bounds(field)}
    ${completions[field.type] && html`autocomplete="${completions[field.type]}"`}
    value="${text}"
  />`;
}

/** What the browser checks by itself. */
function bounds(field: Field): Html {
  const { min, max } = field;
  switch (boundsOf(field.type)) {
    case 'length':
      return html`maxlength="${max ?? limits.formAnswerLength}"
      ${min !== undefined && html`minlength="${min}"`}`;
    case 'value':
      return html`step="any" ${min !== undefined && html`min="${min}"`}
      ${max !== undefined && html`max="${max}"`}`;
    default:
      return html``;
  }
}

function checkboxView(shown: Shown): Html {
  const { field, lang, value } = shown;
  return html`<div class="field">
    <label class="choice"
      ><input
        type="checkbox"
        value="true"
        ${attributes(shown)}
        ${value !== undefined && html`checked`}
      /><span>${labelText(field, lang)}</span></label
    >
    ${faultView(shown)}
  </div>`;
}

/** No `required`: a browser would want every one of them. */
function choicesView(shown: Shown): Html {
  const { field, lang, value, fault } = shown;
  const chosen: unknown[] = Array.isArray(value) ? value : [value];
  return html`<fieldset ${fault && html`data-invalid aria-describedby="${idOf(field)}-fault"`}>
    <legend>${labelText(field, lang)}</legend>
    ${field.options?.map(
      (option) =>
        html`<label class="choice"
          ><input
            type="checkbox"
            name="${field.key}"
            value="${option.value}"
            ${chosen.includes(option.value) && html`checked`}
          /><span>${labelOf(option, lang) ?? option.value}</span></label
        >`,
    )}
    ${faultView(shown)}
  </fieldset>`;
}
