import { useId, useRef } from 'preact/hooks';
import { Icon } from './basics';

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
  const { texts, rows, onChange } = props;
  const id = useId();
  const list = useRef<HTMLFieldSetElement>(null);
  const focus = (selector: string) =>
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(selector)?.focus());
  const add = () => {
    const key = 1 + Math.max(-1, ...rows.map((row) => row.key));
    onChange([...rows, { key, name: '', value: '', stored: false }]);
    focus('.pair-row:last-of-type input');
  };
  const remove = (key: number) => {
    onChange(rows.filter((row) => row.key !== key));
    focus('.add');
  };
  return (
    <fieldset ref={list} aria-describedby={`${id}-hint`}>
      <legend>{texts.legend}</legend>
      <p class="hint" id={`${id}-hint`}>
        {texts.hint}
      </p>
      {rows.map((row) => (
        <PairInputs
          key={row.key}
          id={`${id}-${row.key}`}
          row={row}
          texts={texts}
          limits={props.limits}
          problem={row.name.trim() === '' ? null : props.problemOf(row)}
          set={(part) =>
            onChange(rows.map((other) => (other.key === row.key ? { ...other, ...part } : other)))
          }
          remove={() => remove(row.key)}
        />
      ))}
      {props.general && (
        <p class="field-error" role="alert">
          {props.general}
        </p>
      )}
      {rows.length < props.limits.count && (
        <button type="button" class="btn small add" onClick={add}>
          <Icon name="plus" small /> {texts.add}
        </button>
      )}
    </fieldset>
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
      <button
        type="button"
        class="btn quiet small"
        aria-label={texts.remove(row.name)}
        title={texts.remove(row.name)}
        onClick={props.remove}
      >
        <Icon name="xMark" small />
      </button>
      {problem && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
