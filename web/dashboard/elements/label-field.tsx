import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { api, type LabelKind } from '../api';
import { typedList } from '../format';
import { useResource } from '../resource';
import { t } from '../texts';
import { Combobox, matching, RemovableChip, SuggestField } from './combobox';
import type { Form } from './form';

/** The names of the project's tags or permissions. */
export function useLabels(kind: LabelKind): string[] {
  const found = useResource(() => api.labels(kind), kind);
  return (found.data?.data ?? []).map(({ name }) => name);
}

/** One tag or permission: those of the project are suggested. */
export function LabelField({
  kind,
  ...field
}: { kind: LabelKind } & Omit<Parameters<typeof SuggestField>[0], 'known' | 'maxLength'>) {
  return <SuggestField {...field} known={useLabels(kind)} maxLength={limits.tagLength} />;
}

const placeholders = { tags: () => t.addTag, permissions: () => t.addPermission };

/**
 * Tags or permissions as chips: those of the project are suggested, a new one is typed, or several with commas. What was
 * typed and not picked counts too.
 */
export function LabelsField(props: {
  kind: LabelKind;
  label: string;
  error?: string | null | undefined;
  value: string[];
  onChange: (names: string[]) => void;
}) {
  const { value, onChange } = props;
  const [typed, setTyped] = useState('');
  const known = useLabels(props.kind);
  const written = typedList(typed, ',');
  const names = matching(known, typed).filter((name) => !value.includes(name));
  const isNew = written.some((name) => !known.includes(name) && !value.includes(name));
  const keep = (added: string[]) => {
    const all = [...new Set([...value, ...added])];
    if (all.length > value.length) onChange(all);
    setTyped('');
  };
  return (
    <div class="chip-field">
      <Combobox
        label={props.label}
        error={props.error}
        placeholder={placeholders[props.kind]()}
        maxLength={limits.tagLength * limits.tagsPerProject}
        value={typed}
        suggestions={[
          ...names.map((name) => ({ key: name, text: name, added: [name] })),
          ...(isNew ? [{ key: typed, text: written.join(', '), added: written }] : []),
        ]}
        onInput={setTyped}
        onPick={({ added }) => keep(added)}
        onLeave={() => keep(written)}
      />
      {/* Always there, so that a button below does not move while it is pressed. */}
      <p class="chips reserved">
        {value.map((name) => (
          <RemovableChip
            key={name}
            text={name}
            remove={t.removeNamed(name)}
            act={() => onChange(value.filter((other) => other !== name))}
          />
        ))}
      </p>
    </div>
  );
}

/** The tags and the permissions of a form. */
export function TagsAndPermissions({
  form,
  value,
  onChange,
}: {
  form: Form;
  value: Record<LabelKind, string[]>;
  onChange: (labels: Record<LabelKind, string[]>) => void;
}) {
  return (['tags', 'permissions'] as const).map((kind) => (
    <LabelsField
      key={kind}
      kind={kind}
      label={t[kind]}
      error={form.problemOf(kind)}
      value={value[kind]}
      onChange={(names) => {
        form.touch();
        onChange({ ...value, [kind]: names });
      }}
    />
  ));
}
