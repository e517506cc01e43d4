import { limits } from '../../../src/contract/limits';
import type { ChainStep } from '../api';
import { Field } from '../elements';
import { typedList } from '../format';
import { ContentEditor } from '../message/content-editor';
import { t } from '../texts';
import { RulesEditor } from './drip-rules';
import { durationText } from './drip-steps';

type StepOf<T extends ChainStep['type']> = Extract<ChainStep, { type: T }>;

type ContentProps = Parameters<typeof ContentEditor>[0];

interface Props<S extends ChainStep> {
  step: S;
  onChange: (step: ChainStep) => void;
}

/** The fields of one step. `later` are the ids that a condition can lead to. */
export function StepFields(
  props: Props<ChainStep> & { later: string[]; error: string | null; content: ContentProps },
) {
  const { step, onChange } = props;
  return (
    <>
      <Field label={t.drip.stepId} error={props.error}>
        {(attributes) => (
          <input
            {...attributes}
            required
            pattern="[a-z0-9_\-]+"
            maxLength={limits.dripStepIdLength}
            value={step.id}
            onInput={(event) => onChange({ ...step, id: event.currentTarget.value })}
          />
        )}
      </Field>
      {step.type === 'send' && <SendFields step={step} content={props.content} onChange={onChange} />}
      {step.type === 'delay' && (
        <Field
          label={t.drip.delayMinutes}
          hint={step.minutes > 0 ? t.drip.waits(durationText(step.minutes)) : undefined}
        >
          {(attributes) => (
            <input
              {...attributes}
              type="number"
              required
              min={1}
              max={limits.dripDelayMinutes}
              value={step.minutes}
              onInput={(event) => onChange({ ...step, minutes: Number(event.currentTarget.value) })}
            />
          )}
        </Field>
      )}
      {step.type === 'wait_until' && <WindowFields step={step} onChange={onChange} />}
      {step.type === 'condition' && (
        <>
          <RulesEditor
            label={t.drip.ifHolds}
            rules={step.if}
            onChange={(rules) => onChange({ ...step, if: rules ?? { rules: [] } })}
          />
          <Field label={t.drip.otherwise}>
            {(attributes) => (
              <select
                {...attributes}
                value={step.else}
                onChange={(event) => onChange({ ...step, else: event.currentTarget.value })}
              >
                <option value="end">{t.drip.toEnd}</option>
                {props.later
                  .filter((id) => id !== 'end')
                  .map((id) => (
                    <option key={id} value={id}>
                      {id}
                    </option>
                  ))}
              </select>
            )}
          </Field>
        </>
      )}
      {step.type === 'tag' && <TagFields step={step} onChange={onChange} />}
    </>
  );
}

function SendFields({ step, content, onChange }: Props<StepOf<'send'>> & { content: ContentProps }) {
  const { permission: _, ...withoutPermission } = step;
  return (
    <>
      <ContentEditor {...content} use="chain" />
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
        <Field
          key={field}
          label={field === 'add' ? t.drip.addTags : t.drip.removeTags}
          hint={t.separateWithCommas}
        >
          {(attributes) => (
            <input
              {...attributes}
              defaultValue={step[field]?.join(', ') ?? ''}
              onChange={(event) => {
                const { [field]: _, ...others } = step;
                const tags = typedList(event.currentTarget.value, ',');
                onChange(tags.length === 0 ? others : { ...step, [field]: tags });
              }}
            />
          )}
        </Field>
      ))}
    </>
  );
}
