import { limits } from '../../../src/base/contract/limits';
import type { Trigger } from '../../../src/domains/drip/contract';
import { LabelField, SelectField, TextField } from '../elements';
import { t } from '../texts';
import type { ChainDraft } from './drip-draft';
import { RulesEditor } from './drip-rules';

/** The name of an event, the same in every language. */
const EXAMPLE = 'purchase';

/** How a chain begins, how often, and what ends it early. */
export function ChainSettings(props: {
  draft: ChainDraft;
  change: (part: Partial<ChainDraft>) => void;
  problemOf: (field: string) => string | null;
  migrate?: { isOn: boolean; set: (isOn: boolean) => void };
}) {
  const { draft, change, problemOf, migrate } = props;
  return (
    <>
      <TriggerFields
        trigger={draft.trigger}
        error={problemOf('trigger')}
        onChange={(trigger) => change({ trigger })}
      />
      <SelectField
        label={t.drip.reentry}
        value={draft.reentry}
        onChange={(reentry) => change({ reentry })}
        options={(['once', 'again'] as const).map((value) => ({ value, text: t.drip.reentries[value] }))}
      />
      <RulesEditor
        label={t.drip.exitOn}
        hint={t.drip.exitHint}
        error={problemOf('exit_on')}
        rules={draft.exit_on}
        onChange={(exit_on) => change({ exit_on })}
      />
      {migrate && (
        <div class="field">
          <label class="choice">
            <input
              type="checkbox"
              checked={migrate.isOn}
              onChange={(event) => migrate.set(event.currentTarget.checked)}
            />{' '}
            {t.drip.migrate}
          </label>
          <p class="hint">{t.drip.migrateHint}</p>
        </div>
      )}
    </>
  );
}

function triggerOf(type: Trigger['type']): Trigger {
  if (type === 'event') return { type, name: '' };
  if (type === 'tag_added') return { type, tag: '' };
  return { type };
}

function TriggerFields({
  trigger,
  error,
  onChange,
}: {
  trigger: Trigger;
  error: string | null;
  onChange: (trigger: Trigger) => void;
}) {
  return (
    <>
      <SelectField
        label={t.drip.triggerLabel}
        error={error}
        value={trigger.type}
        onChange={(type) => onChange(triggerOf(type))}
        options={(['subscription', 'tag_added', 'event', 'manual'] as const).map((value) => ({
          value,
          text: t.drip.triggers[value],
        }))}
      />
      {trigger.type === 'tag_added' && (
        <LabelField
          kind="tags"
          label={t.drip.tagName}
          required
          value={trigger.tag}
          onInput={(tag) => onChange({ ...trigger, tag })}
        />
      )}
      {trigger.type === 'event' && (
        <>
          <TextField
            label={t.eventName}
            required
            maxLength={limits.trackedNameLength}
            placeholder={EXAMPLE}
            value={trigger.name}
            onInput={(name) => onChange({ ...trigger, name })}
          />
          <RulesEditor
            label={t.drip.propertyRules}
            rules={trigger.where ?? null}
            kinds={['property']}
            onChange={(where) => {
              const { where: _, ...others } = trigger;
              onChange(where ? { ...others, where: where as NonNullable<typeof trigger.where> } : others);
            }}
          />
        </>
      )}
    </>
  );
}
