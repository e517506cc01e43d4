import { useEffect, useRef, useState } from 'preact/hooks';
import { SelectField, TextField } from '../elements';
import { t } from '../texts';
import { cleanFallback, usePlaceholderNames } from './insert-menu';
import { placeholderName } from './placeholder-name';
import type { FoundPlaceholder } from './placeholders';

/** Below its chip: what it stands for, and what is written when that is empty. */
export function ChipPanel(props: {
  placeholder: FoundPlaceholder;
  place: { top: number; left: number };
  save: (name: string, fallback: string | null) => void;
  remove: () => void;
  close: () => void;
}) {
  const { placeholder, place, close } = props;
  const [name, setName] = useState(placeholder.name);
  const [fallback, setFallback] = useState(placeholder.fallback ?? '');
  const panel = useRef<HTMLDivElement>(null);
  const known = usePlaceholderNames();
  const names = known.includes(placeholder.name) ? known : [placeholder.name, ...known];
  // One that was written with an empty fallback keeps it.
  const none = placeholder.fallback === '' ? '' : null;
  const save = () => props.save(name, cleanFallback(fallback) || none);
  const latest = useRef(save);
  latest.current = save;

  useEffect(() => {
    panel.current?.querySelector<HTMLElement>('input')?.focus();
    const leave = (event: Event) => {
      if (!panel.current?.contains(event.target as Node)) latest.current();
    };
    document.addEventListener('pointerdown', leave);
    return () => document.removeEventListener('pointerdown', leave);
  }, []);
  return (
    <div
      ref={panel}
      class="chip-panel"
      role="dialog"
      aria-label={placeholderName(placeholder.name)}
      style={{ top: `${place.top + 4}px`, '--left': `${place.left}px` }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' && event.key !== 'Enter') return;
        if (event.key === 'Enter' && event.target instanceof HTMLButtonElement) return;
        // The form around the panel must not be submitted, nor its dialog closed.
        event.preventDefault();
        event.stopPropagation();
        if (event.key === 'Enter') save();
        else close();
      }}
    >
      <SelectField
        label={t.standsFor}
        value={name}
        onChange={setName}
        options={names.map((each) => ({ value: each, text: placeholderName(each) }))}
      />
      <TextField label={t.fallback} maxLength={100} value={fallback} onInput={setFallback} />
      <p class="buttons end">
        <button type="button" class="btn small" onClick={props.remove}>
          {t.remove}
        </button>
        <button type="button" class="btn small primary" onClick={save}>
          {t.done}
        </button>
      </p>
    </div>
  );
}
