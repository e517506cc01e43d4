import { limits } from '../../../src/base/contract/limits';
import { RemoveRow, RowFields, SelectField, TextField, type Form } from '../elements';
import {
  boundKinds,
  bounds,
  fieldTypes,
  freeName,
  hasOptions,
  newOption,
  type FieldDraft,
  type OptionDraft,
} from './draft';
import { words } from './texts';

/** The parts of a field that the API can name in an error. */
export const fieldParts = ['key', 'label_en', 'label_ru', 'options', ...bounds] as const;

/** The fields of one field. */
export function FieldEditor(props: {
  field: FieldDraft;
  others: FieldDraft[];
  path: string;
  form: Form;
  set: (part: Partial<FieldDraft>) => void;
}) {
  const { field, others, path, form, set } = props;
  const w = words();
  const kind = boundKinds[field.type];
  const problem = (part: (typeof fieldParts)[number]) => form.problemOf(`${path}.${part}`);
  /** The name follows the label, English first, until the author has typed one. */
  const label = (part: Pick<FieldDraft, 'label_en'> | Pick<FieldDraft, 'label_ru'>) => {
    const changed = { ...field, ...part };
    const name = freeName(others, changed.label_en || changed.label_ru || field.type);
    set(field.isNamed ? part : { ...part, name });
  };
  const missing = field.label_en.trim() === '' && field.label_ru.trim() === '';
  return (
    <>
      <div class="two">
        <TextField
          label={w.labelEn}
          error={problem('label_en') === null ? null : missing ? w.labelMissing : problem('label_en')}
          maxLength={limits.formLabelLength}
          required={field.label_ru.trim() === ''}
          lang="en"
          value={field.label_en}
          onInput={(label_en) => label({ label_en })}
        />
        <TextField
          label={w.labelRu}
          error={problem('label_ru')}
          maxLength={limits.formLabelLength}
          lang="ru"
          value={field.label_ru}
          onInput={(label_ru) => label({ label_ru })}
        />
      </div>
      <div class="two">
        <SelectField
          label={w.type}
          value={field.type}
          onChange={(type) =>
            set({
              type,
              min: '',
              max: '',
              ...(hasOptions(type) && field.options.length === 0 ? { options: [newOption([])] } : {}),
            })
          }
          options={fieldTypes.map((value) => ({ value, text: w.types[value] }))}
        />
        <TextField
          label={w.key}
          hint={w.keyHint}
          error={problem('key')}
          required
          pattern="[a-z0-9_]{1,64}"
          spellcheck={false}
          autocomplete="off"
          value={field.name}
          onInput={(name) => set({ name, isNamed: true })}
        />
      </div>
      {hasOptions(field.type) && (
        <Options
          options={field.options}
          error={problem('options')}
          onChange={(options) => set({ options })}
        />
      )}
      {kind && (
        <div class="two">
          {bounds.map((part) => (
            <TextField
              key={part}
              label={w.bounds[kind][part]}
              error={problem(part)}
              type="number"
              step={kind === 'value' ? 'any' : 1}
              {...(kind === 'value'
                ? {}
                : { min: 0, max: kind === 'length' ? limits.formAnswerLength : limits.formOptions })}
              value={field[part]}
              onInput={(value) => set({ [part]: value })}
            />
          ))}
        </div>
      )}
      <label class="choice">
        <input
          type="checkbox"
          checked={field.required}
          onChange={(event) => set({ required: event.currentTarget.checked })}
        />{' '}
        {field.type === 'checkbox' ? w.requiredCheckbox : w.required}
      </label>
    </>
  );
}

function Options(props: {
  options: OptionDraft[];
  error: string | null;
  onChange: (options: OptionDraft[]) => void;
}) {
  const w = words();
  const input = (
    option: OptionDraft,
    part: 'value' | 'label_en' | 'label_ru',
    set: (text: string) => void,
  ) => {
    const label = { value: w.optionValue, label_en: w.optionEn, label_ru: w.optionRu }[part];
    return (
      <input
        aria-label={option.value && part !== 'value' ? `${label}: ${option.value}` : label}
        placeholder={label}
        required={part === 'value'}
        maxLength={part === 'value' ? limits.formOptionLength : limits.formLabelLength}
        value={option[part]}
        onInput={(event) => set(event.currentTarget.value)}
      />
    );
  };
  return (
    <RowFields
      legend={w.options}
      hint={w.optionsHint}
      add={w.addOption}
      rows={props.options}
      isFull={props.options.length >= limits.formOptions}
      newRow={(key) => ({ ...newOption([]), key })}
      error={props.error}
      onChange={props.onChange}
    >
      {(option, { set, remove }) => (
        <div key={option.key} class="option-row">
          {input(option, 'value', (value) => set({ value }))}
          {input(option, 'label_en', (label_en) => set({ label_en }))}
          {input(option, 'label_ru', (label_ru) => set({ label_ru }))}
          <RemoveRow label={w.removeOption(option.value)} act={remove} />
        </div>
      )}
    </RowFields>
  );
}
