import { useRef } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import type { EndpointView } from '../api';
import { FieldError, Icon } from '../elements';
import { t } from '../texts';

/** A header of the endpoint's own. The value of a stored one is not known here. */
export interface HeaderRow {
  key: number;
  name: string;
  value: string;
  stored: boolean;
}

/** The same in every language. */
const EXAMPLE = 'Authorization';
/** In a change it stands for the stored value. */
const MASK = '***';

export function headerRows(endpoint: EndpointView | undefined): HeaderRow[] {
  return Object.keys(endpoint?.headers ?? {}).map((name, key) => ({ key, name, value: '', stored: true }));
}

/** What is sent: stored values that were not typed over stay, empty rows are left out. */
export function givenHeaders(rows: HeaderRow[]): Record<string, string> {
  const headers: Record<string, string> = {};
  const seen = new Set<string>();
  for (const { name, value, stored } of rows.map((row) => ({ ...row, name: row.name.trim() }))) {
    if (name === '' && value === '') continue;
    if (name === '') throw new FieldError('headers', t.headerNeedsName);
    if (value === '' && !stored) throw new FieldError(`headers.${name}`, t.headerNeedsValue);
    if (seen.has(name.toLowerCase())) throw new FieldError(`headers.${name}`, t.headerTwice);
    seen.add(name.toLowerCase());
    headers[name] = value === '' ? MASK : value.trim();
  }
  return headers;
}

export function HeaderFields(props: {
  rows: HeaderRow[];
  problemOf: (field: string) => string | null;
  onChange: (rows: HeaderRow[]) => void;
}) {
  const { rows, problemOf, onChange } = props;
  const list = useRef<HTMLFieldSetElement>(null);
  const set = (key: number, part: Partial<HeaderRow>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...part } : row)));
  const focus = (selector: string) =>
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(selector)?.focus());
  const add = () => {
    onChange([
      ...rows,
      { key: 1 + Math.max(-1, ...rows.map(({ key }) => key)), name: '', value: '', stored: false },
    ]);
    focus('.header-row:last-of-type input');
  };
  const remove = (key: number) => {
    onChange(rows.filter((row) => row.key !== key));
    focus('.add');
  };
  const general = problemOf('headers');
  return (
    <fieldset ref={list} aria-describedby="headers-hint">
      <legend>{t.ownHeaders}</legend>
      <p class="hint" id="headers-hint">
        {t.ownHeadersHint}
      </p>
      {rows.map((row) => (
        <HeaderInputs
          key={row.key}
          row={row}
          problem={row.name.trim() === '' ? null : problemOf(`headers.${row.name.trim()}`)}
          set={(part) => set(row.key, part)}
          remove={() => remove(row.key)}
        />
      ))}
      {general && (
        <p class="field-error" role="alert">
          {general}
        </p>
      )}
      {rows.length < limits.webhookHeaders.count && (
        <button type="button" class="btn small add" onClick={add}>
          <Icon name="plus" small /> {t.addHeader}
        </button>
      )}
    </fieldset>
  );
}

function HeaderInputs(props: {
  row: HeaderRow;
  problem: string | null;
  set: (part: Partial<HeaderRow>) => void;
  remove: () => void;
}) {
  const { row, problem } = props;
  const id = `header-${row.key}`;
  const invalid = problem ? { 'aria-invalid': 'true' as const, 'aria-describedby': `${id}-error` } : {};
  return (
    <div class="header-row">
      <input
        aria-label={t.headerName}
        placeholder={EXAMPLE}
        maxLength={limits.webhookHeaders.nameLength}
        autocomplete="off"
        spellcheck={false}
        readOnly={row.stored}
        value={row.name}
        onInput={(event) => props.set({ name: event.currentTarget.value })}
      />
      <input
        aria-label={row.name ? t.headerValueOf(row.name) : t.headerValue}
        placeholder={row.stored ? t.headerKept : ''}
        maxLength={limits.webhookHeaders.valueLength}
        autocomplete="off"
        spellcheck={false}
        value={row.value}
        onInput={(event) => props.set({ value: event.currentTarget.value })}
        {...invalid}
      />
      <button
        type="button"
        class="btn quiet small"
        aria-label={t.removeHeader(row.name)}
        title={t.removeHeader(row.name)}
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
