import { limits } from '../../../src/base/contract/limits';
import { propertyValue } from '../../../src/base/contract/property-value';
import { api, type EndpointFilter, type EndpointView } from '../api';
import { FieldError, Icon, Problem, RemoveRow, RowFields, SelectField, Time } from '../elements';
import { useResource, useSettled } from '../resource';
import { needsValue, operatorOf, type Operator } from '../rule-operator';
import { t } from '../texts';

type Rule = EndpointFilter['rules'][number];

/** In the order of the choice. */
const operators = ['eq', 'ne', 'gt', 'lt', 'contains', 'exists', 'missing'] as const satisfies Operator[];

/** A rule as typed. */
interface RuleDraft {
  key: number;
  field: string;
  op: Operator;
  value: string;
  /** As stored: a text that looks like a number stays a text while it is not typed over. */
  stored?: Rule['value'];
}

export interface FilterDraft {
  match: EndpointFilter['match'];
  rules: RuleDraft[];
}

export function filterDraft(endpoint: EndpointView | undefined): FilterDraft {
  const filter = endpoint?.filter;
  return {
    match: filter?.match ?? 'all',
    rules: (filter?.rules ?? []).map((rule, key) => {
      const { field, op, value } = rule;
      const text = op === 'exists' || value === undefined ? '' : String(value);
      return { key, field, op: operatorOf(rule), value: text, stored: value };
    }),
  };
}

/** What is sent; null without rules. Throws for a rule that is not complete. */
export function givenFilter({ match, rules }: FilterDraft): EndpointFilter | null {
  const given = rules.filter(({ field, value }) => field.trim() !== '' || value.trim() !== '');
  if (given.length === 0) return null;
  return { match, rules: given.map(givenRule) };
}

function givenRule({ field, op, value, stored }: RuleDraft): Rule {
  if (field.trim() === '') throw new FieldError('filter', t.results.ruleNeedsField);
  if (op === 'exists') return { field: field.trim(), op };
  if (op === 'missing') return { field: field.trim(), op: 'exists', value: false };
  if (value.trim() === '') throw new FieldError('filter', t.results.ruleNeedsValue);
  const isKept = stored !== undefined && String(stored) === value;
  return { field: field.trim(), op, value: isKept ? stored : propertyValue(value.trim()) };
}

/** The rules of an endpoint's filter, and which of the last events would pass them. */
export function FilterFields(props: {
  draft: FilterDraft;
  /** The chosen events; empty for all. */
  events: string[];
  error: string | null;
  onChange: (draft: FilterDraft) => void;
}) {
  const { draft, onChange } = props;
  return (
    <div class="filter-fields">
      <RowFields
        legend={t.results.filter}
        hint={t.results.filterHint}
        add={t.results.addRule}
        rows={draft.rules}
        isFull={draft.rules.length >= limits.endpointFilter.rules}
        newRow={(key): RuleDraft => ({ key, field: '', op: 'eq', value: '' })}
        error={props.error}
        onChange={(rules) => onChange({ ...draft, rules })}
      >
        {(row, { place, set, remove }) => (
          <div key={row.key} class="rule-row">
            <input
              aria-label={t.results.filterField}
              placeholder={t.results.filterFieldExample}
              autocomplete="off"
              spellcheck={false}
              value={row.field}
              onInput={(event) => set({ field: event.currentTarget.value })}
            />
            <select
              aria-label={t.results.filterOperator}
              value={row.op}
              onChange={(event) => set({ op: event.currentTarget.value as Operator })}
            >
              {operators.map((op) => (
                <option key={op} value={op}>
                  {t.results.filterOperators[op]}
                </option>
              ))}
            </select>
            {needsValue(row.op) ? (
              <input
                aria-label={t.results.filterValue}
                maxLength={limits.endpointFilter.valueLength}
                autocomplete="off"
                value={row.value}
                onInput={(event) => set({ value: event.currentTarget.value })}
              />
            ) : (
              <span />
            )}
            <RemoveRow label={`${t.results.removeRule} ${place + 1}`} act={remove} />
          </div>
        )}
      </RowFields>
      {draft.rules.length > 1 && (
        <SelectField
          label={t.results.filterMatch}
          value={draft.match}
          options={(['all', 'any'] as const).map((value) => ({
            value,
            text: t.results.filterMatches[value],
          }))}
          onChange={(match) => onChange({ ...draft, match })}
        />
      )}
      {draft.rules.length > 0 && <Preview draft={draft} events={props.events} />}
    </div>
  );
}

/** Asked of the API shortly after the last key, so that it shows what the filter really does. */
function Preview({ draft, events }: { draft: FilterDraft; events: string[] }) {
  const filter = useSettled(JSON.stringify(complete(draft)));
  const found = useResource(
    async () => {
      const given = JSON.parse(filter) as EndpointFilter | null;
      return given && (await api.previewFilter(events, given)).data;
    },
    JSON.stringify([filter, events]),
  );
  if (found.error) return <Problem error={found.error} />;
  if (filter === 'null') return <p class="hint">{t.results.filterPreviewWait}</p>;
  const list = found.data;
  if (!list) return null;
  if (list.length === 0) return <p class="hint">{t.results.filterPreviewEmpty}</p>;
  return (
    <div class="filter-preview">
      <p id="filter-preview-title" role="status">
        {t.results.filterPreview(list.filter(({ matches }) => matches).length, list.length)}
      </p>
      <ul tabIndex={0} aria-labelledby="filter-preview-title">
        {list.map(({ event_id, event, created_at, matches }) => (
          <li key={event_id} class={matches ? 'matches' : 'differs'}>
            <Icon name={matches ? 'checkCircle' : 'minusCircle'} small />
            <span class="visually-hidden">
              {matches ? t.results.filterSent : t.results.filterNotSent}
            </span>{' '}
            <code>{event}</code>{' '}
            <span class="hint">
              <Time at={created_at} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Null while a rule is not complete. */
function complete(draft: FilterDraft): EndpointFilter | null {
  try {
    return givenFilter(draft);
  } catch {
    return null;
  }
}

/** The rules in words, for an endpoint's page. */
export function filterText({ match, rules }: EndpointFilter): string[] {
  const texts = rules.map((rule) => {
    const op = operatorOf(rule);
    const words = [rule.field, t.results.filterOperators[op]];
    return [...words, ...(needsValue(op) ? [JSON.stringify(rule.value)] : [])].join(' ');
  });
  return rules.length > 1 ? [`${t.results.filterMatch} ${t.results.filterMatches[match]}:`, ...texts] : texts;
}
