import { limits } from '../../../src/base/contract/limits';
import type { Rules } from '../../../src/domains/drip/contract';
import type { LabelKind } from '../api';
import { DurationFields, Field, Icon, LabelField, TextField } from '../elements';
import { needsValue, operatorOf, type Operator } from '../rule-operator';
import { t } from '../texts';

type Rule = Rules['rules'][number];
type Kind = keyof typeof t.drip.ruleKinds;

function kindOf(rule: Rule): Kind {
  if (rule.tag !== undefined) return rule.has === false ? 'no_tag' : 'tag';
  if (rule.permission !== undefined) return rule.has === false ? 'no_permission' : 'permission';
  if (rule.event !== undefined) return rule.happened === false ? 'no_event' : 'event';
  return 'property';
}

const nameOf = ({ tag, permission, event, property }: Rule) => tag ?? permission ?? event ?? property ?? '';

/** The rule of another kind with the same name. */
function ruleOf(kind: Kind, name: string): Rule {
  switch (kind) {
    case 'tag':
      return { tag: name };
    case 'no_tag':
      return { tag: name, has: false };
    case 'permission':
      return { permission: name };
    case 'no_permission':
      return { permission: name, has: false };
    case 'event':
      return { event: name };
    case 'no_event':
      return { event: name, happened: false };
    case 'property':
      return { property: name, op: 'eq', value: '' };
  }
}

const renamed = (rule: Rule, name: string): Rule => {
  const field = (['tag', 'permission', 'event', 'property'] as const).find(
    (each) => rule[each] !== undefined,
  );
  return field ? { ...rule, [field]: name } : rule;
};

/** A number or a truth value if it is written like one. */
function valueOf(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Up to ten rules; `kinds` says which. Null for none. */
export function RulesEditor(props: {
  label: string;
  hint?: string;
  error?: string | null | undefined;
  rules: Rules | null;
  kinds?: Kind[];
  onChange: (rules: Rules | null) => void;
}) {
  const kinds = props.kinds ?? (Object.keys(t.drip.ruleKinds) as Kind[]);
  const rules = props.rules?.rules ?? [];
  const set = (changed: Rule[]) =>
    props.onChange(changed.length === 0 ? null : { ...props.rules, rules: changed });
  const replace = (index: number, rule: Rule) => set(rules.map((each, n) => (n === index ? rule : each)));
  return (
    <fieldset class="rules">
      <legend>{props.label}</legend>
      {rules.length > 1 && (
        <Field label={t.drip.match}>
          {(attributes) => (
            <select
              {...attributes}
              value={props.rules?.match ?? 'all'}
              onChange={(event) =>
                props.onChange({ match: event.currentTarget.value as 'all' | 'any', rules })
              }
            >
              {(['all', 'any'] as const).map((match) => (
                <option key={match} value={match}>
                  {t.drip.matches[match]}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      {rules.map((rule, index) => (
        <RuleFields
          key={index}
          rule={rule}
          kinds={kinds}
          onChange={(changed) => replace(index, changed)}
          onRemove={() => set(rules.filter((_, n) => n !== index))}
        />
      ))}
      {props.error && (
        <p class="field-error" role="alert">
          {props.error}
        </p>
      )}
      {rules.length < limits.rules && (
        <button type="button" class="btn" onClick={() => set([...rules, ruleOf(kinds[0] ?? 'tag', '')])}>
          <Icon name="plus" small /> {t.drip.addRule}
        </button>
      )}
      {props.hint && <p class="hint">{props.hint}</p>}
    </fieldset>
  );
}

const labelKinds: Partial<Record<Kind, LabelKind>> = {
  tag: 'tags',
  no_tag: 'tags',
  permission: 'permissions',
  no_permission: 'permissions',
};

function RuleFields(props: {
  rule: Rule;
  kinds: Kind[];
  onChange: (rule: Rule) => void;
  onRemove: () => void;
}) {
  const { rule } = props;
  const kind = kindOf(rule);
  const label = labelKinds[kind];
  const name = {
    label: t.drip.ruleName,
    required: true,
    value: nameOf(rule),
    onInput: (typed: string) => props.onChange(renamed(rule, typed)),
  };
  return (
    <div class="inline-form">
      <Field label={t.drip.ruleKind}>
        {(attributes) => (
          <select
            {...attributes}
            value={kind}
            onChange={(event) => props.onChange(ruleOf(event.currentTarget.value as Kind, nameOf(rule)))}
          >
            {props.kinds.map((each) => (
              <option key={each} value={each}>
                {t.drip.ruleKinds[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {label ? (
        <LabelField kind={label} {...name} />
      ) : (
        <TextField {...name} maxLength={limits.propertyKeyLength} />
      )}
      {kind === 'property' && <Comparison rule={rule} onChange={props.onChange} />}
      {rule.event !== undefined && (
        <DurationFields
          legend={t.drip.since}
          hint={t.drip.sinceHint}
          minutes={rule.since_minutes ?? 0}
          onChange={(minutes) => {
            const { since_minutes: _, ...others } = rule;
            props.onChange(minutes > 0 ? { ...others, since_minutes: minutes } : others);
          }}
        />
      )}
      <button type="button" class="btn quiet" onClick={props.onRemove}>
        <Icon name="xMark" small />
        <span class="visually-hidden">{t.drip.removeRule}</span>
      </button>
    </div>
  );
}

function Comparison({ rule, onChange }: { rule: Rule; onChange: (rule: Rule) => void }) {
  const { value, ...withoutValue } = rule;
  const operator = operatorOf(rule);
  function choose(op: Operator): void {
    if (op === 'missing') onChange({ ...withoutValue, op: 'exists', value: false });
    else if (op === 'exists') onChange({ ...withoutValue, op });
    else onChange({ ...withoutValue, op, value: needsValue(operator) ? (value ?? '') : '' });
  }
  return (
    <>
      <Field label={t.drip.operator}>
        {(attributes) => (
          <select
            {...attributes}
            value={operator}
            onChange={(event) => choose(event.currentTarget.value as Operator)}
          >
            {Object.entries(t.drip.operators).map(([op, text]) => (
              <option key={op} value={op}>
                {text}
              </option>
            ))}
          </select>
        )}
      </Field>
      {needsValue(operator) && (
        <Field label={t.drip.ruleValue}>
          {(attributes) => (
            <input
              {...attributes}
              maxLength={limits.propertyLength}
              value={String(value ?? '')}
              onInput={(event) => onChange({ ...rule, value: valueOf(event.currentTarget.value) })}
            />
          )}
        </Field>
      )}
    </>
  );
}
