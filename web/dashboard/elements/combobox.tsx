import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon } from './basics';
import { Field, type ControlAttributes } from './fields';

export interface Suggestion {
  key: string;
  text: string;
  /** Shown in the list instead of the text. */
  shown?: ComponentChildren;
}

interface SuggestProps<S extends Suggestion> {
  placeholder?: string | undefined;
  maxLength?: number | undefined;
  required?: boolean | undefined;
  value: string;
  suggestions: S[];
  /** Shown instead of suggestions when none match. */
  none?: string | undefined;
  onInput: (value: string) => void;
  onPick: (suggestion: S) => void;
  /** The focus goes elsewhere on the page. */
  onLeave?: (() => void) | undefined;
  /** What is typed counts by itself: no suggestion is marked before an arrow key, and Enter submits the form. */
  isFree?: boolean | undefined;
}

/**
 * The input of every search in the dashboard, with the list of what it suggests. Arrow keys mark a suggestion, Enter picks it and never submits the form around it, Escape
 * closes the list.
 */
export function SuggestInput<S extends Suggestion>(
  props: SuggestProps<S> & {
    attributes: Partial<ControlAttributes> & { 'aria-label'?: string };
    /** The name of the list. */
    listLabel: string;
    /** The list is below the field all the time, and Escape is for the dialog around it. */
    isStaying?: boolean;
    hasIcon?: boolean;
  },
) {
  const { suggestions, isFree, isStaying } = props;
  const listId = useId();
  const list = useRef<HTMLUListElement>(null);
  const unmarked = isFree ? -1 : 0;
  const [isOpen, setOpen] = useState(false);
  const [marked, setMarked] = useState(unmarked);
  const at = Math.min(marked, suggestions.length - 1);
  const isShown = (isOpen || isStaying === true) && suggestions.length > 0;
  const isNone = (isOpen || isStaying) && suggestions.length === 0 && props.none;
  useEffect(() => {
    if (isShown) list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at, isShown]);
  const pick = (suggestion: S) => {
    setMarked(unmarked);
    setOpen(false);
    props.onPick(suggestion);
  };
  const mark = (next: number) => {
    setOpen(true);
    setMarked((next + suggestions.length) % Math.max(1, suggestions.length));
  };
  const press = (event: KeyboardEvent) => {
    const suggestion = isShown ? suggestions[at] : undefined;
    if (event.key === 'ArrowDown') mark(isShown ? at + 1 : 0);
    else if (event.key === 'ArrowUp') mark(Math.max(at, 0) - 1);
    else if (event.key === 'Enter' && suggestion) pick(suggestion);
    else if (event.key === 'Escape' && isShown && !isStaying) setOpen(false);
    else if (event.key !== 'Enter' || isFree) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class={props.hasIcon ? 'combobox search-box' : 'combobox'}>
      {props.hasIcon && <Icon name="search" small />}
      <input
        {...props.attributes}
        type="text"
        role="combobox"
        autocomplete="off"
        aria-autocomplete="list"
        aria-expanded={isShown}
        {...(isShown ? { 'aria-controls': listId } : {})}
        {...(isShown && at >= 0 ? { 'aria-activedescendant': `${listId}-${at}` } : {})}
        placeholder={props.placeholder ?? ''}
        required={props.required ?? false}
        {...(props.maxLength === undefined ? {} : { maxLength: props.maxLength })}
        value={props.value}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onBlur={(event) => {
          setOpen(false);
          // When the whole window loses the focus, the field keeps it within the page.
          if (document.activeElement !== event.currentTarget) props.onLeave?.();
        }}
        onKeyDown={press}
        onInput={(event) => {
          setOpen(true);
          setMarked(unmarked);
          props.onInput(event.currentTarget.value);
        }}
      />
      {isShown && (
        <ul ref={list} class="suggestions" role="listbox" id={listId} aria-label={props.listLabel}>
          {suggestions.map((suggestion, index) => (
            <li
              key={suggestion.key}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === at}
              onMouseMove={() => setMarked(index)}
              // The field keeps the focus: without it the list would close before the click.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => pick(suggestion)}
            >
              {suggestion.shown ?? suggestion.text}
            </li>
          ))}
        </ul>
      )}
      {isNone && (
        <p class="suggestions hint" role="status">
          {props.none}
        </p>
      )}
    </div>
  );
}

/** A field that suggests what to add. A pick calls `onPick`; the parent usually empties the field. */
export function Combobox<S extends Suggestion>(
  props: SuggestProps<S> & {
    label: string;
    hint?: string | undefined;
    error?: string | null | undefined;
  },
) {
  const { label, hint, error, ...input } = props;
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => <SuggestInput {...input} attributes={attributes} listLabel={label} />}
    </Field>
  );
}

/** Enough to choose from; more typing finds the others. */
const MOST = 50;

const plain = (text: string) => text.trim().toLowerCase().replaceAll('_', ' ');

export const matching = (names: string[], typed: string) =>
  names.filter((name) => plain(name).includes(plain(typed)));

/** A field of one value that is typed, or picked from those that are known. */
export function SuggestField(
  props: Omit<Parameters<typeof Combobox>[0], 'suggestions' | 'onPick' | 'isFree'> & { known: string[] },
) {
  const { known, ...field } = props;
  const names = matching(known, props.value).filter((name) => name !== props.value);
  return (
    <Combobox
      {...field}
      isFree
      suggestions={names.slice(0, MOST).map((name) => ({ key: name, text: name }))}
      onPick={({ text }) => props.onInput(text)}
    />
  );
}

/** A label that can be taken off. */
export function RemovableChip(props: { text: string; remove: string; act: () => void }) {
  return (
    <span class="chip removable" title={props.text}>
      <span class="chip-name">{props.text}</span>
      <button type="button" aria-label={props.remove} title={props.remove} onClick={props.act}>
        ×
      </button>
    </span>
  );
}
