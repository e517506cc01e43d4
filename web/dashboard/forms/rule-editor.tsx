import { limits } from '../../../src/base/contract/limits';
import { Field, Icon, SelectField, TextField } from '../elements';
import { needsValue, type Operator } from '../rule-operator';
import { language } from '../texts';
import { newRule, operatorsOf, type FieldDraft, type RouteDraft, type RuleDraft } from './draft';
import { fieldLabel, labelIn } from './rules-text';
import { words } from './texts';

/** When an action runs: rules on the answers, in words. */
export function RuleEditor(props: {
  route: RouteDraft;
  fields: FieldDraft[];
  error: string | null;
  set: (part: Partial<RouteDraft>) => void;
}) {
  const { route, fields, set } = props;
  const { rules } = route;
  const w = words();
  const put = (key: number, part: Partial<RuleDraft>) =>
    set({ rules: rules.map((rule) => (rule.key === key ? { ...rule, ...part } : rule)) });
  return (
    <fieldset class="rules">
      <legend>{w.when}</legend>
      {rules.length === 0 && <p class="hint">{w.whenHint}</p>}
      {rules.length > 1 && (
        <SelectField
          label={w.match}
          value={route.match}
          onChange={(match) => set({ match })}
          options={(['all', 'any'] as const).map((value) => ({ value, text: w.matches[value] }))}
        />
      )}
      {rules.map((rule) => (
        <Rule
          key={rule.key}
          rule={rule}
          fields={fields}
          set={(part) => put(rule.key, part)}
          remove={() => set({ rules: rules.filter(({ key }) => key !== rule.key) })}
        />
      ))}
      {props.error && (
        <p class="field-error" role="alert">
          {props.error}
        </p>
      )}
      {rules.length < limits.rules && (
        <button
          type="button"
          class="btn small"
          onClick={() => set({ rules: [...rules, newRule(rules, fields[0])] })}
        >
          <Icon name="plus" small /> {w.addRule}
        </button>
      )}
    </fieldset>
  );
}

function Rule(props: {
  rule: RuleDraft;
  fields: FieldDraft[];
  set: (part: Partial<RuleDraft>) => void;
  remove: () => void;
}) {
  const { rule, fields, set } = props;
  const w = words();
  const field = fields.find(({ key }) => key === rule.field);
  const usual = field ? operatorsOf(field.type) : [];
  // One that was stored by the API stays as it is.
  const operators = usual.includes(rule.op) ? usual : [...usual, rule.op];
  const choose = (key: string) => {
    const chosen = fields.find((each) => String(each.key) === key);
    const { field: id, op, value } = newRule([], chosen);
    set({ field: id, op, value });
  };
  return (
    <div class="inline-form">
      <SelectField
        label={w.ruleField}
        required
        value={field ? String(field.key) : ''}
        onChange={choose}
        options={[
          ...(field ? [] : [{ value: '', text: w.chooseField }]),
          ...fields.map((each) => ({ value: String(each.key), text: fieldLabel(each) })),
        ]}
      />
      <SelectField<Operator>
        label={w.ruleOperator}
        value={rule.op}
        onChange={(op) => set({ op })}
        options={operators.map((value) => ({ value, text: w.operators[value] }))}
      />
      {needsValue(rule.op) && field && (
        <RuleValue field={field} value={rule.value} onChange={(value) => set({ value })} />
      )}
      <button
        type="button"
        class="btn quiet"
        aria-label={w.removeRule}
        title={w.removeRule}
        onClick={props.remove}
      >
        <Icon name="xMark" small />
      </button>
    </div>
  );
}

function RuleValue(props: { field: FieldDraft; value: string; onChange: (value: string) => void }) {
  const { field, value, onChange } = props;
  const w = words();
  const choices =
    field.type === 'checkbox'
      ? [
          { value: 'true', text: w.yes },
          { value: 'false', text: w.no },
        ]
      : field.type === 'select' || field.type === 'multiselect'
        ? field.options.map((option) => ({
            value: option.value,
            text: labelIn(language, option) || option.value,
          }))
        : null;
  if (!choices) {
    return (
      <TextField
        label={w.ruleValue}
        required
        type={field.type === 'number' ? 'number' : field.type === 'date' ? 'date' : 'text'}
        {...(field.type === 'number' ? { step: 'any' } : { maxLength: limits.propertyLength })}
        value={value}
        onInput={onChange}
      />
    );
  }
  const isKnown = choices.some((choice) => choice.value === value);
  return (
    <Field label={w.ruleValue}>
      {(attributes) => (
        <select
          {...attributes}
          required
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {!isKnown && <option value={value}>{value}</option>}
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
