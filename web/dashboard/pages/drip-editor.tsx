import { useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import type { Rules, Trigger } from '../../../src/drip/contract';
import { api, type Chain, type ChainStep } from '../api';
import { Crumbs, Field, FormButtons, Icon, Loaded, toast, useForm } from '../elements';
import { contentFields } from '../message/content';
import { DraftKeeper, useDraft } from '../message/drafts';
import { MessagePreview } from '../message/message-preview';
import { useResource } from '../resource';
import { go, Heading } from '../router';
import { t } from '../texts';
import { moved, stepDrafts, stepsOf, withNewStep, type StepDraft } from './drip-draft';
import { RulesEditor } from './drip-rules';
import { StepFields } from './drip-step-fields';
import { stepIcons } from './drip-steps';

/** The name of an event, the same in every language. */
const EXAMPLE = 'purchase';

interface Draft {
  name: string;
  trigger: Trigger;
  steps: StepDraft[];
  exit_on: Rules | null;
  reentry: Chain['reentry'];
}

const empty: Draft = {
  name: '',
  trigger: { type: 'subscription' },
  steps: stepDrafts([{ id: 'hello', type: 'send', content: { text: '' } }]),
  exit_on: null,
  reentry: 'once',
};

export function NewChain() {
  return (
    <ChainForm
      title={t.drip.newChain}
      initial={empty}
      kept="chain"
      save={async ({ exit_on, steps, ...draft }) => {
        const created = await api.createChain({
          ...draft,
          steps: stepsOf(steps),
          ...(exit_on && { exit_on }),
        });
        return created.drip_id;
      }}
    />
  );
}

export function EditChain({ id }: { id: string }) {
  const found = useResource(() => api.chain(id), id);
  const [migrate, setMigrate] = useState(false);
  return (
    <Loaded resource={found}>
      {({ name, trigger, steps, exit_on, reentry, version }) => (
        <ChainForm
          title={t.drip.editChain(name)}
          initial={{ name, trigger, steps: stepDrafts(steps), exit_on, reentry }}
          kept={`chain.${id}.${version}`}
          migrate={{ isOn: migrate, set: setMigrate }}
          save={async (draft) =>
            (await api.changeChain(id, { ...draft, steps: stepsOf(draft.steps), migrate })).drip_id
          }
        />
      )}
    </Loaded>
  );
}

const stepTypes = ['send', 'delay', 'wait_until', 'condition', 'tag', 'end'] as const;

function fieldsOf({ steps }: Draft): string[] {
  const ofSteps = steps.flatMap((_, index) => [
    `steps[${index}]`,
    ...contentFields.map((field) => `steps[${index}].content.${field}`),
  ]);
  return ['name', 'trigger', 'exit_on', 'steps', ...ofSteps];
}

function ChainForm(props: {
  title: string;
  initial: Draft;
  /** The name under which this tab keeps the draft. */
  kept: string;
  migrate?: { isOn: boolean; set: (isOn: boolean) => void };
  save: (draft: Draft) => Promise<string>;
}) {
  const kept = useDraft(props.kept, props.initial);
  const { draft, change: keep, forget } = kept;
  const [shown, setShown] = useState<number | null>(null);
  const form = useForm(fieldsOf(draft), async () => {
    const id = await props.save(draft);
    forget();
    toast(t.drip.chainSaved);
    go(`/dashboard/drip/${id}`);
  });
  const change = (part: Partial<Draft>) => {
    form.touch();
    keep(part);
  };
  const { steps } = draft;
  const put = (key: number, part: Partial<StepDraft>) =>
    change({ steps: steps.map((each) => (each.key === key ? { ...each, ...part } : each)) });
  const sending = steps.filter(({ step }) => step.type === 'send');
  const preview = sending.find(({ key }) => key === shown) ?? sending[0];
  return (
    <>
      <Crumbs trail={[{ to: '/dashboard/drip', text: t.drip.chains }]} />
      <Heading title={props.title} />
      <DraftKeeper kept={kept} />
      <div class="composer">
        <form class="panel" {...form.attributes}>
          <Field label={t.personName} error={form.problemOf('name')}>
            {(attributes) => (
              <input
                {...attributes}
                required
                maxLength={limits.nameLength}
                value={draft.name}
                onInput={(event) => change({ name: event.currentTarget.value })}
              />
            )}
          </Field>
          <TriggerFields
            trigger={draft.trigger}
            error={form.problemOf('trigger')}
            onChange={(trigger) => change({ trigger })}
          />
          <Field label={t.drip.reentry}>
            {(attributes) => (
              <select
                {...attributes}
                value={draft.reentry}
                onChange={(event) => change({ reentry: event.currentTarget.value as Draft['reentry'] })}
              >
                {(['once', 'again'] as const).map((reentry) => (
                  <option key={reentry} value={reentry}>
                    {t.drip.reentries[reentry]}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <RulesEditor
            label={t.drip.exitOn}
            hint={t.drip.exitHint}
            error={form.problemOf('exit_on')}
            rules={draft.exit_on}
            onChange={(exit_on) => change({ exit_on })}
          />
          <h2>{t.drip.steps}</h2>
          <ol class="timeline chain">
            {steps.map(({ key, step, content }, index) => (
              <li key={key} onFocusCapture={() => setShown(key)}>
                <Icon name={stepIcons[step.type]} small />
                <div>
                  <div class="row">
                    <strong>{t.drip.stepTypes[step.type]}</strong>
                    <span class="buttons">
                      <StepButton
                        icon="arrowUp"
                        label={t.drip.moveUp(step.id)}
                        disabled={index === 0}
                        act={() => change({ steps: moved(steps, index, index - 1) })}
                      />
                      <StepButton
                        icon="arrowDown"
                        label={t.drip.moveDown(step.id)}
                        disabled={index === steps.length - 1}
                        act={() => change({ steps: moved(steps, index, index + 1) })}
                      />
                      <StepButton
                        icon="xMark"
                        label={t.drip.removeStep(step.id)}
                        disabled={steps.length === 1}
                        act={() => change({ steps: steps.filter((other) => other.key !== key) })}
                      />
                    </span>
                  </div>
                  <StepFields
                    step={step}
                    later={steps.slice(index + 1).map((other) => other.step.id)}
                    error={form.problemOf(`steps[${index}]`)}
                    onChange={(changed) => put(key, { step: changed })}
                    content={{
                      draft: content,
                      change: (part) => put(key, { content: { ...content, ...part } }),
                      problemOf: (field) => form.problemOf(`steps[${index}].content.${field}`),
                    }}
                  />
                </div>
              </li>
            ))}
          </ol>
          {form.problemOf('steps') && (
            <p class="field-error" role="alert">
              {form.problemOf('steps')}
            </p>
          )}
          {steps.length < limits.dripSteps && (
            <Field label={t.drip.addStep}>
              {(attributes) => (
                <select
                  {...attributes}
                  value=""
                  onChange={(event) => {
                    const type = event.currentTarget.value as ChainStep['type'];
                    change({ steps: withNewStep(steps, type) });
                    event.currentTarget.value = '';
                  }}
                >
                  <option value="">…</option>
                  {stepTypes.map((type) => (
                    <option key={type} value={type}>
                      {t.drip.stepTypes[type]}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          )}
          {props.migrate && (
            <div class="field">
              <label class="choice">
                <input
                  type="checkbox"
                  checked={props.migrate.isOn}
                  onChange={(event) => props.migrate?.set(event.currentTarget.checked)}
                />{' '}
                {t.drip.migrate}
              </label>
              <p class="hint">{t.drip.migrateHint}</p>
            </div>
          )}
          <FormButtons form={form} submit={t.save} disabled={draft.name.trim() === ''} />
        </form>
        <div class="previews" aria-label={t.preview}>
          {preview && (
            <MessagePreview
              key={preview.key}
              draft={preview.content}
              change={(part) => put(preview.key, { content: { ...preview.content, ...part } })}
            />
          )}
        </div>
      </div>
    </>
  );
}

function StepButton(props: {
  icon: 'arrowUp' | 'arrowDown' | 'xMark';
  label: string;
  disabled: boolean;
  act: () => void;
}) {
  return (
    <button type="button" class="btn quiet" disabled={props.disabled} onClick={props.act}>
      <Icon name={props.icon} small />
      <span class="visually-hidden">{props.label}</span>
    </button>
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
      <Field label={t.drip.triggerLabel} error={error}>
        {(attributes) => (
          <select
            {...attributes}
            value={trigger.type}
            onChange={(event) => onChange(triggerOf(event.currentTarget.value as Trigger['type']))}
          >
            {(['subscription', 'tag_added', 'event', 'manual'] as const).map((type) => (
              <option key={type} value={type}>
                {t.drip.triggers[type]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {trigger.type === 'tag_added' && (
        <Field label={t.drip.tagName}>
          {(attributes) => (
            <input
              {...attributes}
              required
              maxLength={limits.tagLength}
              value={trigger.tag}
              onInput={(event) => onChange({ ...trigger, tag: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
      {trigger.type === 'event' && (
        <>
          <Field label={t.eventName}>
            {(attributes) => (
              <input
                {...attributes}
                required
                maxLength={limits.trackedNameLength}
                placeholder={EXAMPLE}
                value={trigger.name}
                onInput={(event) => onChange({ ...trigger, name: event.currentTarget.value })}
              />
            )}
          </Field>
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
