import { RemoveRow, RowFields } from './row-fields';

/** A name with its value, as typed. */
export interface Pair {
  key: number;
  name: string;
  value: string;
  /** Its name stays as it is. */
  stored: boolean;
}

interface PairTexts {
  legend: string;
  hint: string;
  add: string;
  name: string;
  value: string;
  valueOf: (name: string) => string;
  remove: (name: string) => string;
  /** Shown in empty fields. */
  nameExample: string;
  storedValue?: string;
}

interface PairLimits {
  count: number;
  nameLength: number;
  valueLength: number;
}

/** Names with values, any number of them up to a limit. A problem is shown beside its row, or below all. */
export function PairFields(props: {
  texts: PairTexts;
  limits: PairLimits;
  rows: Pair[];
  problemOf: (row: Pair) => string | null;
  general: string | null;
  onChange: (rows: Pair[]) => void;
}) {
  const { texts } = props;
  return (
    <RowFields
      legend={texts.legend}
      hint={texts.hint}
      add={texts.add}
      rows={props.rows}
      isFull={props.rows.length >= props.limits.count}
      newRow={(key): Pair => ({ key, name: '', value: '', stored: false })}
      error={props.general}
      onChange={props.onChange}
    >
      {(row, { id, set, remove }) => (
        <PairInputs
          key={row.key}
          id={id}
          row={row}
          texts={texts}
          limits={props.limits}
          problem={row.name.trim() === '' ? null : props.problemOf(row)}
          set={set}
          remove={remove}
        />
      )}
    </RowFields>
  );
}

function PairInputs(props: {
  id: string;
  row: Pair;
  texts: PairTexts;
  limits: PairLimits;
  problem: string | null;
  set: (part: Partial<Pair>) => void;
  remove: () => void;
}) {
  const { id, row, texts, problem } = props;
  const invalid = problem ? { 'aria-invalid': 'true' as const, 'aria-describedby': `${id}-error` } : {};
  return (
    <div class="pair-row">
      <input
        aria-label={texts.name}
        placeholder={texts.nameExample}
        maxLength={props.limits.nameLength}
        autocomplete="off"
        spellcheck={false}
        readOnly={row.stored}
        value={row.name}
        onInput={(event) => props.set({ name: event.currentTarget.value })}
      />
      <input
        aria-label={row.name ? texts.valueOf(row.name) : texts.value}
        placeholder={row.stored ? (texts.storedValue ?? '') : ''}
        maxLength={props.limits.valueLength}
        autocomplete="off"
        spellcheck={false}
        value={row.value}
        onInput={(event) => props.set({ value: event.currentTarget.value })}
        {...invalid}
      />
      <RemoveRow label={texts.remove(row.name)} act={props.remove} />
      {problem && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
