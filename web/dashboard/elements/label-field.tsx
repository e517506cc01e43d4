import { useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { api, type LabelKind } from '../api';
import { useResource } from '../resource';
import { t } from '../texts';
import { Combobox, RemovableChip } from './combobox';

/** The names of the project's tags or permissions. */
export function useLabels(kind: LabelKind): string[] {
  const found = useResource(() => api.labels(kind), kind);
  return (found.data?.data ?? []).map(({ name }) => name);
}

export const matching = (names: string[], typed: string) =>
  names.filter((name) => name.toLowerCase().includes(typed.trim().toLowerCase()));

/** Tags as chips: those of the project are suggested, a new one is typed. A name that was typed and not picked counts too. */
export function TagsField(props: {
  label: string;
  error?: string | null | undefined;
  value: string[];
  onChange: (tags: string[]) => void;
}) {
  const { value, onChange } = props;
  const [typed, setTyped] = useState('');
  const known = useLabels('tags');
  const name = typed.trim();
  const names = matching(known, typed).filter((tag) => !value.includes(tag));
  if (name !== '' && !known.includes(name) && !value.includes(name)) names.push(name);
  const add = (tag: string) => {
    if (tag !== '' && !value.includes(tag)) onChange([...value, tag]);
    setTyped('');
  };
  return (
    <div class="chip-field">
      <Combobox
        label={props.label}
        error={props.error}
        placeholder={t.addTag}
        maxLength={limits.tagLength}
        value={typed}
        suggestions={names.map((tag) => ({ key: tag, text: tag }))}
        onInput={setTyped}
        onPick={({ key }) => add(key)}
        onLeave={() => add(name)}
      />
      {/* Always there, so that a button below does not move while it is pressed. */}
      <p class="chips reserved">
        {value.map((tag) => (
          <RemovableChip
            key={tag}
            text={tag}
            remove={t.removeNamed(tag)}
            act={() => onChange(value.filter((other) => other !== tag))}
          />
        ))}
      </p>
    </div>
  );
}
