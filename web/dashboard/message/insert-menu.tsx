import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon, TextField } from '../elements';
import { t } from '../texts';
import { usePeople } from './people';
import { placeholderName } from './placeholder-name';
import { builtInNames, placeholderSource } from './placeholders';

/** `|` divides a name from its fallback, and braces end it. */
export const cleanFallback = (typed: string) => typed.replace(/[{}]/g, '');

/** The names of properties as the API takes them in a placeholder. */
const PROPERTY = /^[a-z0-9_]{1,64}$/;

/** Inserts a name, a property and a text for when it is empty. */
export function InsertMenu(props: {
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  inChain: boolean;
  /** Names that the message brings values for. */
  given: string[];
  insert: (placeholder: string) => void;
}) {
  const { isOpen, setOpen } = props;
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const close = (event: Event) => {
      if (!menu.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', close);
    return () => document.removeEventListener('pointerdown', close);
  }, [isOpen]);
  return (
    <div
      class="insert"
      ref={menu}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.preventDefault();
        event.stopPropagation();
        setOpen(false);
      }}
    >
      <button
        type="button"
        class="btn quiet small"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="plus" small /> {t.insert}
      </button>
      {isOpen && (
        <Choices
          id={id}
          inChain={props.inChain}
          given={props.given}
          insert={(placeholder) => {
            setOpen(false);
            props.insert(placeholder);
          }}
        />
      )}
    </div>
  );
}

/** What a placeholder can stand for: what every message knows, and the properties that people have. */
export function usePlaceholderNames(): string[] {
  const people = usePeople();
  const properties = new Set(
    (people ?? []).flatMap((person) => Object.keys(person.properties)).filter((name) => PROPERTY.test(name)),
  );
  return [...builtInNames, ...[...properties].sort().map((name) => `properties.${name}`)];
}

function Choices(props: {
  id: string;
  inChain: boolean;
  given: string[];
  insert: (placeholder: string) => void;
}) {
  const [fallback, setFallback] = useState('');
  const [property, setProperty] = useState('');
  const names = [...new Set([...props.given, ...usePlaceholderNames()])];
  const insert = (name: string) =>
    props.insert(placeholderSource(name, cleanFallback(fallback) === '' ? null : cleanFallback(fallback)));
  const typed = property.trim().toLowerCase();
  // The form around the menu must not be submitted by it.
  const hold = (event: KeyboardEvent) => event.key === 'Enter' && event.preventDefault();
  return (
    <div class="insert-menu" id={props.id} role="group" aria-label={t.insert} onKeyDown={hold}>
      <TextField
        label={t.fallback}
        hint={t.fallbackHint}
        maxLength={100}
        value={fallback}
        onInput={setFallback}
      />
      <div class="insert-names">
        {names.map((name) => (
          <button key={name} type="button" class="chip" onClick={() => insert(name)}>
            {placeholderName(name)}
          </button>
        ))}
      </div>
      <div class="insert-property">
        <TextField
          label={props.inChain ? t.otherPropertyOrEvent : t.otherProperty}
          maxLength={64}
          value={property}
          onInput={setProperty}
        />
        <button
          type="button"
          class="btn small"
          disabled={!PROPERTY.test(typed)}
          onClick={() => insert(`properties.${typed}`)}
        >
          {t.insert}
        </button>
        {props.inChain && (
          <button
            type="button"
            class="btn small"
            disabled={!PROPERTY.test(typed)}
            onClick={() => insert(`event.${typed}`)}
          >
            {t.insertOfEvent}
          </button>
        )}
      </div>
    </div>
  );
}
