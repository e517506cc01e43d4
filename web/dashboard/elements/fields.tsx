import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { t } from '../texts';
import { Icon } from './basics';

/** To be spread over the control: ties it to its label, hint and error. */
export interface ControlAttributes {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: 'true';
}

export function Field(props: {
  label: string;
  hint?: string | undefined;
  error?: string | null | undefined;
  children: (attributes: ControlAttributes) => ComponentChildren;
}) {
  const id = useId();
  const described = [props.error ? `${id}-error` : '', props.hint ? `${id}-hint` : ''].join(' ').trim();
  return (
    <div class="field">
      <label
        id={`${id}-label`}
        htmlFor={id}
        // For a field that is not a control of the browser's own.
        onClick={() => document.getElementById(id)?.focus()}
      >
        {props.label}
      </label>
      {props.children({
        id,
        ...(described ? { 'aria-describedby': described } : {}),
        ...(props.error ? { 'aria-invalid': 'true' as const } : {}),
      })}
      {props.error && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {props.error}
        </p>
      )}
      {props.hint && (
        <p class="hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      )}
    </div>
  );
}

interface FieldProps {
  label: string;
  hint?: string | undefined;
  error?: string | null | undefined;
}

type InputAttributes = Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onInput' | 'label'>;

/** A field of one line. */
export function TextField({
  label,
  hint,
  error,
  onInput,
  ...input
}: FieldProps & InputAttributes & { value: string; onInput: (value: string) => void }) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => (
        <input {...attributes} {...input} onInput={(event) => onInput(event.currentTarget.value)} />
      )}
    </Field>
  );
}

/** The browser's own would name its button in the browser's language, not in the dashboard's. */
export function FileInput(props: {
  attributes: ControlAttributes;
  accept: string;
  onChoose: (file: File | null) => void;
}) {
  const [name, setName] = useState<string | null>(null);
  return (
    <span class="file-input">
      <input
        {...props.attributes}
        type="file"
        accept={props.accept}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0] ?? null;
          setName(file?.name ?? null);
          props.onChoose(file);
        }}
      />
      <span class="file-button" aria-hidden="true">
        {t.chooseFile}
      </span>
      <span class="hint" aria-hidden="true">
        {name ?? t.noFileChosen}
      </span>
    </span>
  );
}

export function SelectField<V extends string>(
  props: FieldProps & {
    value: V;
    options: { value: V; text: string }[];
    required?: boolean;
    onChange: (value: V) => void;
  },
) {
  return (
    <Field label={props.label} hint={props.hint} error={props.error}>
      {(attributes) => (
        <select
          {...attributes}
          required={props.required ?? false}
          value={props.value}
          onChange={(event) => props.onChange(event.currentTarget.value as V)}
        >
          {props.options.map(({ value, text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export interface Option {
  value: string;
  text: string;
}

/** A filter of a list. */
export function Select(props: {
  label: string;
  value: string;
  options: Option[];
  onChange: (value: string) => void;
  /** Further options, in groups. */
  children?: ComponentChildren;
}) {
  const id = useId();
  return (
    <div class="filter">
      <label htmlFor={id}>{props.label}</label>
      <select id={id} value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
        {props.children}
      </select>
    </div>
  );
}

/** The filter of a list by a state; empty: any. */
export function StatusSelect(props: {
  states: Record<string, string>;
  value: string;
  onChange: (value: string) => void;
}) {
  const named = Object.entries(props.states).map(([value, text]) => ({ value, text }));
  return (
    <Select
      label={t.status}
      value={props.value}
      onChange={props.onChange}
      options={[{ value: '', text: t.any }, ...named]}
    />
  );
}

const TYPING_MS = 300;

/** Searches shortly after the last key. */
export function SearchField(props: {
  label: string;
  placeholder: string;
  value: string;
  maxLength: number;
  onChange: (value: string) => void;
}) {
  const id = useId();
  const [text, setText] = useState(props.value);
  const { value, onChange } = props;
  const shown = useRef(value);
  useEffect(() => {
    // Not after the first render: by then something may have been typed.
    if (shown.current === value) return;
    shown.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => onChange(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="filter search">
      <label htmlFor={id}>{props.label}</label>
      <span class="search-box">
        <Icon name="search" small />
        <input
          id={id}
          type="search"
          value={text}
          maxLength={props.maxLength}
          placeholder={props.placeholder}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </span>
    </div>
  );
}

export function ClearFilters({ filters }: { filters: { isFiltered: boolean; clear: () => void } }) {
  if (!filters.isFiltered) return null;
  return (
    <button type="button" class="btn quiet" onClick={filters.clear}>
      <Icon name="xMark" small /> {t.clearFilters}
    </button>
  );
}
