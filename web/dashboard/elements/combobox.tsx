import { useId, useState } from 'preact/hooks';
import { Field } from './fields';

export interface Suggestion {
  key: string;
  text: string;
}

/**
 * A field that suggests what to add. A pick calls `onPick`; the parent usually empties the field. Enter picks the marked suggestion and never submits the form around it.
 */
export function Combobox<S extends Suggestion>(props: {
  label: string;
  hint?: string | undefined;
  error?: string | null | undefined;
  placeholder?: string;
  maxLength?: number;
  value: string;
  suggestions: S[];
  /** What is shown instead of suggestions when nothing matches. */
  none?: string | undefined;
  onInput: (value: string) => void;
  onPick: (suggestion: S) => void;
  /** The focus goes elsewhere on the page. */
  onLeave?: () => void;
}) {
  const { suggestions } = props;
  const listId = useId();
  const [isOpen, setOpen] = useState(false);
  const [marked, setMarked] = useState(0);
  const at = Math.min(marked, suggestions.length - 1);
  const isShown = isOpen && suggestions.length > 0;
  const pick = (suggestion: S | undefined) => {
    if (!suggestion) return;
    setMarked(0);
    setOpen(false);
    props.onPick(suggestion);
  };
  const mark = (next: number) => {
    setOpen(true);
    setMarked((next + suggestions.length) % Math.max(1, suggestions.length));
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') mark(isShown ? at + 1 : 0);
    else if (event.key === 'ArrowUp') mark(at - 1);
    else if (event.key === 'Enter') pick(isShown ? suggestions[at] : undefined);
    else if (event.key === 'Escape' && isShown) setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Field label={props.label} hint={props.hint} error={props.error}>
      {(attributes) => (
        <div class="combobox">
          <input
            {...attributes}
            role="combobox"
            autocomplete="off"
            aria-autocomplete="list"
            aria-expanded={isShown}
            {...(isShown ? { 'aria-controls': listId, 'aria-activedescendant': `${listId}-${at}` } : {})}
            placeholder={props.placeholder ?? ''}
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
              setMarked(0);
              props.onInput(event.currentTarget.value);
            }}
          />
          {isShown && (
            <ul class="suggestions" role="listbox" id={listId} aria-label={props.label}>
              {suggestions.map((suggestion, index) => (
                <li
                  key={suggestion.key}
                  id={`${listId}-${index}`}
                  role="option"
                  aria-selected={index === at}
                  // Before the field loses the focus, which would close the list.
                  onMouseDown={(event) => {
                    event.preventDefault();
                    pick(suggestion);
                  }}
                >
                  {suggestion.text}
                </li>
              ))}
            </ul>
          )}
          {isOpen && suggestions.length === 0 && props.none && (
            <p class="hint" role="status">
              {props.none}
            </p>
          )}
        </div>
      )}
    </Field>
  );
}

/** A label that can be taken off. */
export function RemovableChip(props: { text: string; remove: string; act: () => void }) {
  return (
    <span class="chip removable" title={props.text}>
      <span class="chip-text">{props.text}</span>
      <button type="button" aria-label={props.remove} title={props.remove} onClick={props.act}>
        ×
      </button>
    </span>
  );
}
