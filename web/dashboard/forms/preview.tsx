import { useId } from 'preact/hooks';
import { inkOn } from '../../../src/base/contract/color';
import { api } from '../api';
import { useResource } from '../resource';
import type { FormDraft, FieldDraft } from './draft';
import { labelIn } from './rules-text';
import { words } from './texts';
import { formsEn } from '../texts/forms-en';
import { formsRu } from '../texts/forms-ru';

type Lang = 'en' | 'ru';
const copy = { en: formsEn, ru: formsRu };

/** The page of the form, as people will see it. Nothing in it can be filled in. */
export function FormPreview({ draft, lang }: { draft: FormDraft; lang: Lang }) {
  const w = words();
  const project = useResource(api.project, 'project');
  const brand = project.data?.brand;
  const [title, other] = lang === 'en' ? [draft.title_en, draft.title_ru] : [draft.title_ru, draft.title_en];
  return (
    <section class="form-preview" aria-label={w.preview} lang={lang}>
      {brand?.logo_path && <img class="form-logo" src={brand.logo_path} alt="" />}
      <p class="form-title">{title.trim() || other.trim() || draft.name.trim() || '…'}</p>
      <p class="hint">
        <bdi>{project.data?.name}</bdi>
      </p>
      <fieldset class="plain" disabled>
        {draft.fields.map((field) => (
          <PreviewField key={field.key} field={field} lang={lang} />
        ))}
        <span
          class="form-send"
          aria-hidden="true"
          {...(brand?.color && { style: { background: brand.color, color: inkOn(brand.color) } })}
        >
          {copy[lang].send}
        </span>
      </fieldset>
    </section>
  );
}

function PreviewField({ field, lang }: { field: FieldDraft; lang: Lang }) {
  const id = useId();
  const label = (
    <>
      {labelIn(lang, field) || field.name || '…'}
      {!field.required && <span class="hint"> ({copy[lang].optional})</span>}
    </>
  );
  const options = field.options.filter(({ value, label_en, label_ru }) => value || label_en || label_ru);
  if (field.type === 'checkbox') {
    return (
      <label class="choice">
        <input type="checkbox" /> <span>{label}</span>
      </label>
    );
  }
  if (field.type === 'multiselect') {
    return (
      <div class="preview-field" role="group" aria-labelledby={id}>
        <span class="preview-label" id={id}>
          {label}
        </span>
        {options.map((option) => (
          <label key={option.key} class="choice">
            <input type="checkbox" /> <span>{labelIn(lang, option) || option.value}</span>
          </label>
        ))}
      </div>
    );
  }
  return (
    <div class="preview-field">
      <label class="preview-label" htmlFor={id}>
        {label}
      </label>
      {field.type === 'textarea' ? (
        <textarea id={id} rows={3} />
      ) : field.type === 'select' ? (
        <select id={id}>
          <option>{copy[lang].choose}</option>
        </select>
      ) : (
        <input id={id} type={field.type === 'date' ? 'date' : 'text'} />
      )}
    </div>
  );
}
