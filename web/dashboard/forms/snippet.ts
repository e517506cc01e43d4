import { escapeHtml } from '../../../src/base/contract/escape-html';
import { language } from '../texts';
import type { Field, FormView } from './api';
import { labelIn } from './rules-text';
import { words } from './texts';

const inputTypes: Partial<Record<Field['type'], string>> = {
  email: 'email',
  phone: 'tel',
  number: 'number',
  date: 'date',
};

/** A form without a script, for any page. */
export function plainSnippet(form: FormView): string {
  return [
    `<form action="${escapeHtml(form.submit_url)}" method="post">`,
    ...form.fields.map(fieldHtml),
    '  <input name="_hp" hidden tabindex="-1" autocomplete="off">',
    ...(form.captcha ? [`  <!-- ${words().captchaNote} -->`] : []),
    `  <button>${escapeHtml(words().send)}</button>`,
    '</form>',
  ].join('\n');
}

/** The same form, sent by a script: with the token that `min_seconds` needs, and safe to send again. */
export function scriptSnippet(form: FormView): string {
  const lists = form.fields.filter(({ type }) => type === 'multiselect').map(({ key }) => key);
  return [
    plainSnippet(form).replace('<form ', '<form id="herald-form" '),
    '<script type="module">',
    `  const url = ${JSON.stringify(form.submit_url)};`,
    "  const form = document.querySelector('#herald-form');",
    ...(form.min_seconds > 0 ? ['  const { token } = await (await fetch(url)).json();'] : []),
    '  const requestId = crypto.randomUUID();',
    "  form.addEventListener('submit', async (event) => {",
    '    event.preventDefault();',
    '    const data = new FormData(form);',
    "    const answers = Object.fromEntries([...data].filter(([, value]) => value !== ''));",
    ...(lists.length === 0
      ? []
      : [
          `    for (const key of ${JSON.stringify(lists)}) if (data.has(key)) answers[key] = data.getAll(key);`,
        ]),
    '    const response = await fetch(url, {',
    "      method: 'POST',",
    "      headers: { 'content-type': 'application/json' },",
    `      body: JSON.stringify({ ...answers, ${form.min_seconds > 0 ? '_token: token, ' : ''}_request_id: requestId }),`,
    '    });',
    '    const result = await response.json();',
    '    // response.ok: { ok: true, submission_id }; otherwise { error, code }',
    '  });',
    '</script>',
  ].join('\n');
}

function fieldHtml(field: Field): string {
  const label = escapeHtml(labelIn(language, field));
  const name = `name="${field.key}"`;
  const required = field.required ? ' required' : '';
  switch (field.type) {
    case 'textarea':
      return `  <label>${label} <textarea ${name}${bounds(field)}${required}></textarea></label>`;
    case 'checkbox':
      return `  <label><input type="checkbox" ${name} value="true"${required}> ${label}</label>`;
    case 'select':
      return [
        `  <label>${label}`,
        `    <select ${name}${required}>`,
        `      <option value="">${escapeHtml(words().choose)}</option>`,
        ...(field.options ?? []).map(
          (option) =>
            `      <option value="${escapeHtml(option.value)}">${escapeHtml(labelIn(language, option) || option.value)}</option>`,
        ),
        '    </select>',
        '  </label>',
      ].join('\n');
    case 'multiselect':
      return [
        '  <fieldset>',
        `    <legend>${label}</legend>`,
        ...(field.options ?? []).map(
          (option) =>
            `    <label><input type="checkbox" ${name} value="${escapeHtml(option.value)}"> ${escapeHtml(labelIn(language, option) || option.value)}</label>`,
        ),
        '  </fieldset>',
      ].join('\n');
    default: {
      const type = inputTypes[field.type];
      return `  <label>${label} <input ${name}${type ? ` type="${type}"` : ''}${bounds(field)}${required}></label>`;
    }
  }
}

function bounds({ type, min, max }: Field): string {
  const [step, kind] = type === 'number' ? [' step="any"', ''] : ['', 'length'];
  const least = min === undefined ? '' : ` min${kind}="${min}"`;
  const most = max === undefined ? '' : ` max${kind}="${max}"`;
  return step + least + most;
}
