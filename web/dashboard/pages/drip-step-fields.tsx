import { limits } from '../../../src/base/contract/limits';
import type { ChainStep } from '../api';
import { DurationFields, Field, SelectField, LabelsField } from '../elements';
import { ContentEditor } from '../message/content-editor';
import { MessagePreview } from '../message/message-preview';
import { t } from '../texts';
import { RulesEditor } from './drip-rules';
import { stepLine } from './drip-steps';

type StepOf<T extends ChainStep['type']> = Extract<ChainStep, { type: T }>;

type ContentProps = Parameters<typeof ContentEditor>[0];

interface Props<S extends ChainStep> {
  step: S;
  onChange: (step: ChainStep) => void;
}

/** The fields of one step. `later` are the steps that a condition can lead to, unless it has a column of its own. */
export function StepFields(
  props: Props<ChainStep> & {
    later: ChainStep[];
    ownColumn: boolean;
    error: string | null;
    content: ContentProps;
  },
) {
  const { step, onChange } = props;
  return (
    <>
      {props.error && (
        <p class="field-error" role="alert">
          {props.error}
        </p>
      )}
      {step.type === 'send' && <SendFields step={step} content={props.content} onChange={onChange} />}
      {step.type === 'delay' && (
        <DurationFields
          legend={t.drip.delayFor}
          minutes={step.minutes}
          onChange={(minutes) => onChange({ ...step, minutes })}
        />
      )}
      {step.type === 'wait_until' && <WindowFields step={step} onChange={onChange} />}
      {step.type === 'condition' && (
        <>
          <RulesEditor
            label={t.drip.ifHolds}
            rules={step.if}
            onChange={(rules) => onChange({ ...step, if: rules ?? { rules: [] } })}
          />
          {props.ownColumn ? (
            <p class="hint">{t.drip.otherwiseColumn}</p>
          ) : (
            <SelectField
              label={t.drip.otherwise}
              hint={t.drip.otherwiseHint}
              value={step.else}
              onChange={(target) => onChange({ ...step, else: target })}
              options={[
                { value: 'end', text: t.drip.toEnd },
                ...props.later
                  .filter(({ id }) => id !== 'end')
                  .map((later) => ({ value: later.id, text: stepLine(later) })),
              ]}
            />
          )}
        </>
      )}
      {step.type === 'tag' && <TagFields step={step} onChange={onChange} />}
      {step.type === 'end' && <p class="hint">{t.drip.endHint}</p>}
    </>
  );
}

function SendFields({ step, content, onChange }: Props<StepOf<'send'>> & { content: ContentProps }) {
  const { permission: _, ...withoutPermission } = step;
  return (
    <>
      <ContentEditor {...content} use="chain" />
      <MessagePreview
        draft={content.draft}
        change={content.change}
        buttonsError={content.problemOf('buttons')}
      />
      <Field label={t.drip.needsPermission} hint={t.drip.optional}>
        {(attributes) => (
          <input
            {...attributes}
            maxLength={limits.tagLength}
            value={step.permission ?? ''}
            onInput={(event) => {
              const permission = event.currentTarget.value;
              onChange(permission === '' ? withoutPermission : { ...step, permission });
            }}
          />
        )}
      </Field>
    </>
  );
}

function WindowFields({ step, onChange }: Props<StepOf<'wait_until'>>) {
  const chosen = step.weekdays ?? [];
  const toggle = (day: number) => {
    const { weekdays: _, ...others } = step;
    const days = chosen.includes(day) ? chosen.filter((each) => each !== day) : [...chosen, day];
    onChange(days.length === 0 ? others : { ...step, weekdays: days.sort((a, b) => a - b) });
  };
  return (
    <>
      <div class="inline-form">
        {(['from', 'to'] as const).map((field) => (
          <Field key={field} label={field === 'from' ? t.drip.from : t.drip.until}>
            {(attributes) => (
              <input
                {...attributes}
                required
                pattern="[0-2][0-9]:[0-5][0-9]"
                placeholder="09:00"
                value={step[field]}
                onInput={(event) => onChange({ ...step, [field]: event.currentTarget.value })}
              />
            )}
          </Field>
        ))}
        <Field label={t.drip.whoseClock}>
          {(attributes) => (
            <select
              {...attributes}
              value={step.timezone}
              onChange={(event) =>
                onChange({ ...step, timezone: event.currentTarget.value as typeof step.timezone })
              }
            >
              {(['recipient', 'project'] as const).map((whose) => (
                <option key={whose} value={whose}>
                  {t.drip.clocks[whose]}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <fieldset class="rules days">
        <legend>{t.drip.weekdays}</legend>
        {t.drip.weekdayNames.map((name, index) => (
          <label key={name} class="choice">
            <input type="checkbox" checked={chosen.includes(index + 1)} onChange={() => toggle(index + 1)} />{' '}
            {name}
          </label>
        ))}
      </fieldset>
    </>
  );
}

function TagFields({ step, onChange }: Props<StepOf<'tag'>>) {
  return (
    <>
      {(['add', 'remove'] as const).map((field) => (
        <LabelsField
          kind="tags"
          key={field}
          label={field === 'add' ? t.drip.addTags : t.drip.removeTags}
          value={step[field] ?? []}
          onChange={(tags) => {
            const { [field]: _, ...others } = step;
            onChange(tags.length === 0 ? others : { ...step, [field]: tags });
          }}
        />
      ))}
    </>
  );
}
