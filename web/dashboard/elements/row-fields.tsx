import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { Icon } from './basics';

/** What the fields of one row need. */
interface RowControls<R> {
  /** For the ids of what describes its fields. */
  id: string;
  place: number;
  set: (part: Partial<R>) => void;
  remove: () => void;
}

/**
 * Rows of fields, any number of them up to a limit, each in a `div` of its own. The first field of a new row takes the
 * focus; after a removal it goes to the button that adds one.
 */
export function RowFields<R extends { key: number }>(props: {
  legend: string;
  hint: string;
  add: string;
  rows: R[];
  isFull: boolean;
  newRow: (key: number) => R;
  /** What is wrong with all of them. */
  error: string | null;
  onChange: (rows: R[]) => void;
  children: (row: R, controls: RowControls<R>, errorId: string | null) => ComponentChildren;
}) {
  const { rows, onChange } = props;
  const id = useId();
  const list = useRef<HTMLFieldSetElement>(null);
  const focus = (selector: string) =>
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(selector)?.focus());
  const add = () => {
    onChange([...rows, props.newRow(1 + Math.max(-1, ...rows.map((row) => row.key)))]);
    focus('div:last-of-type > input');
  };
  const controls = (row: R, place: number): RowControls<R> => ({
    id: `${id}-${row.key}`,
    place,
    set: (part) => onChange(rows.map((other) => (other.key === row.key ? { ...other, ...part } : other))),
    remove() {
      onChange(rows.filter((other) => other.key !== row.key));
      focus('.add');
    },
  });
  return (
    <fieldset ref={list} aria-describedby={`${id}-hint`}>
      <legend>{props.legend}</legend>
      <p class="hint" id={`${id}-hint`}>
        {props.hint}
      </p>
      {rows.map((row, place) =>
        props.children(row, controls(row, place), props.error ? `${id}-error` : null),
      )}
      {props.error && (
        <p class="field-error" role="alert" id={`${id}-error`}>
          {props.error}
        </p>
      )}
      {!props.isFull && (
        <button type="button" class="btn small add" onClick={add}>
          <Icon name="plus" small /> {props.add}
        </button>
      )}
    </fieldset>
  );
}

export function RemoveRow({ label, act }: { label: string; act: () => void }) {
  return (
    <button type="button" class="btn quiet small" aria-label={label} title={label} onClick={act}>
      <Icon name="xMark" small />
    </button>
  );
}
