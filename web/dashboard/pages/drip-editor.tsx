import { useEffect, useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { api } from '../api';
import {
  ConfirmDialog,
  Crumbs,
  FormButtons,
  Icon,
  Loaded,
  TextField,
  toast,
  useForm,
  type Form,
} from '../elements';
import { contentFields } from '../message/content';
import { DraftKeeper, useDraft } from '../message/drafts';
import { useResource } from '../resource';
import { go, Heading } from '../router';
import { t } from '../texts';
import { AddStep } from './drip-add-step';
import { newEnd, newStepDraft, stepDrafts, stepsOf, type ChainDraft, type StepDraft } from './drip-draft';
import { ChainPicture, StepLine, type Place } from './drip-picture';
import { ChainSettings } from './drip-settings';
import { StepFields } from './drip-step-fields';
import { rulesText, triggerText } from './drip-steps';
import { canMove, draftsIn, inserted, listOf, moved, removed, treeOf, type TreeNode } from './drip-tree';

const empty: ChainDraft = {
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
      kept={{ name: 'new-chain' }}
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
          kept={{ name: `chain.${id}`, version }}
          migrate={{ isOn: migrate, set: setMigrate }}
          save={async (draft) =>
            (await api.changeChain(id, { ...draft, steps: stepsOf(draft.steps), migrate })).drip_id
          }
        />
      )}
    </Loaded>
  );
}

function fieldsOf({ steps }: ChainDraft): string[] {
  const ofSteps = steps.flatMap((_, index) => stepFields(index));
  return ['name', 'trigger', 'exit_on', 'steps', ...ofSteps];
}

const stepFields = (index: number) => [
  `steps[${index}]`,
  ...contentFields.map((field) => `steps[${index}].content.${field}`),
];

const hasProblem = (form: Form, index: number) =>
  stepFields(index).some((field) => form.problemOf(field) !== null);

/** Beside the picture there is room for the panel; where there is none, it opens on a click. */
const isWide = () => matchMedia('(min-width: 64rem)').matches;

/** What the side panel shows: a step by its key, or how the chain begins and ends. */
type Opened = number | 'settings' | null;

function ChainForm(props: {
  title: string;
  initial: ChainDraft;
  /** The name under which this browser keeps the draft. */
  kept: { name: string; version?: number };
  migrate?: { isOn: boolean; set: (isOn: boolean) => void };
  save: (draft: ChainDraft) => Promise<string>;
}) {
  const kept = useDraft(props.kept.name, props.initial, props.kept.version);
  const { draft } = kept;
  const { steps } = draft;
  const [opened, setOpened] = useState<Opened>(() => (isWide() ? 'settings' : null));
  const [removing, setRemoving] = useState<{ node: TreeNode<StepDraft>; place: Place<StepDraft> } | null>(
    null,
  );
  const form = useForm(fieldsOf(draft), async () => {
    const id = await props.save(draft);
    kept.forget();
    toast(t.drip.chainSaved);
    go(`/dashboard/drip/${id}`);
  });
  const wrong = steps.findIndex((_, index) => hasProblem(form, index));
  useEffect(() => {
    const key = steps[wrong]?.key;
    if (key !== undefined) setOpened(key);
    else if (form.problemOf('trigger') ?? form.problemOf('exit_on')) setOpened('settings');
  }, [wrong, form.busy]);
  const change = (part: Partial<ChainDraft>) => {
    form.touch();
    kept.change(part);
  };
  const nodes = treeOf(steps);
  const draw = (changed: TreeNode<StepDraft>[]) => change({ steps: listOf(changed, newEnd) });
  const put = (key: number, part: Partial<StepDraft>) =>
    change({ steps: steps.map((each) => (each.key === key ? { ...each, ...part } : each)) });
  const remove = ({ node, place }: { node: TreeNode<StepDraft>; place: Place<StepDraft> }) => {
    draw(removed(nodes, place.column, place.index));
    if (opened === node.draft.key) setOpened(isWide() ? 'settings' : null);
  };
  const index = steps.findIndex(({ key }) => key === opened);
  const open = steps[index];
  const found = open ? findPlace(nodes, open.key) : null;
  return (
    <>
      <Crumbs trail={[{ to: '/dashboard/drip', text: t.drip.chains }]} />
      <Heading title={props.title} />
      <DraftKeeper kept={kept} />
      <form class={opened === null ? 'chain-editor' : 'chain-editor opened'} {...form.attributes}>
        <div class="chain-main">
          <TextField
            label={t.name}
            error={form.problemOf('name')}
            required
            maxLength={limits.nameLength}
            value={draft.name}
            onInput={(name) => change({ name })}
          />
          <button
            type="button"
            class="step-card begin"
            aria-expanded={opened === 'settings'}
            onClick={() => setOpened('settings')}
          >
            <span class="step-line">
              <Icon name="bolt" small />
              <span class="clip">
                {t.drip.beginsWith(triggerText(draft), t.drip.reentries[draft.reentry])}
              </span>
            </span>
            {draft.exit_on && <span class="hint">{t.drip.exitsOn(rulesText(draft.exit_on))}</span>}
          </button>
          <ChainPicture<StepDraft>
            steps={steps}
            nodes={nodes}
            card={({ draft: each }) => {
              const at = steps.findIndex(({ key }) => key === each.key);
              return (
                <button
                  type="button"
                  class={hasProblem(form, at) ? 'step-card wrong' : 'step-card'}
                  aria-expanded={opened === each.key}
                  onClick={() => setOpened(each.key)}
                >
                  <StepLine step={stepsOf([each])[0] ?? each.step} />
                  {hasProblem(form, at) && <Icon name="exclamation" small />}
                </button>
              );
            }}
            {...(steps.length < limits.dripSteps
              ? {
                  add: (column, at, before) => (
                    <AddStep
                      key={`add-${column?.of}-${column?.side}-${at}`}
                      column={column}
                      before={before?.draft.step ?? null}
                      add={(type) => {
                        const added = newStepDraft(steps, type);
                        draw(inserted(nodes, column, at, added));
                        setOpened(added.key);
                      }}
                    />
                  ),
                }
              : {})}
          />
          {form.problemOf('steps') && (
            <p class="field-error" role="alert">
              {form.problemOf('steps')}
            </p>
          )}
          <div class="save-bar">
            <FormButtons
              form={form}
              submit={t.save}
              blocked={draft.name.trim() === '' ? t.drip.nameMissing : null}
            />
          </div>
        </div>
        {opened !== null && (
          <aside class="panel step-panel" aria-label={t.drip.stepPanel}>
            <div class="row">
              <h2>{open ? t.drip.stepTypes[open.step.type] : t.drip.settings}</h2>
              <span class="row-actions">
                {open && found && (
                  <StepActions
                    found={found}
                    isOnly={steps.length === 1}
                    move={(by) => draw(moved(nodes, found.place.column, found.place.index, by))}
                    remove={() => {
                      const { otherwise } = found.node;
                      if (otherwise.kind === 'steps') setRemoving(found);
                      else remove(found);
                    }}
                  />
                )}
                <PanelButton icon="xMark" label={t.drip.closePanel} act={() => setOpened(null)} />
              </span>
            </div>
            {open && found ? (
              <StepFields
                key={open.key}
                step={open.step}
                later={steps.slice(index + 1).map(({ step }) => step)}
                ownColumn={found.node.otherwise.kind === 'steps'}
                error={form.problemOf(`steps[${index}]`)}
                onChange={(step) => put(open.key, { step })}
                content={{
                  draft: open.content,
                  change: (part) => put(open.key, { content: { ...open.content, ...part } }),
                  problemOf: (field) => form.problemOf(`steps[${index}].content.${field}`),
                }}
              />
            ) : (
              <ChainSettings
                draft={draft}
                change={change}
                problemOf={form.problemOf}
                {...(props.migrate ? { migrate: props.migrate } : {})}
              />
            )}
          </aside>
        )}
      </form>
      {removing && (
        <ConfirmDialog
          title={t.drip.removeConditionTitle}
          text={t.drip.removeConditionText(
            removing.node.otherwise.kind === 'steps' ? draftsIn(removing.node.otherwise.steps).length : 0,
          )}
          confirm={t.remove}
          act={async () => remove(removing)}
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  );
}

interface Found {
  node: TreeNode<StepDraft>;
  place: Place<StepDraft>;
}

/** Where the step of a key stands. */
function findPlace(
  siblings: TreeNode<StepDraft>[],
  key: number,
  column: Place<StepDraft>['column'] = null,
): Found | null {
  for (const [index, node] of siblings.entries()) {
    if (node.draft.key === key) return { node, place: { column, siblings, index } };
    const no = node.otherwise.kind === 'steps' ? node.otherwise.steps : [];
    const inside =
      findPlace(node.yes, key, { of: node.draft.key, side: 'yes' }) ??
      findPlace(no, key, { of: node.draft.key, side: 'no' });
    if (inside) return inside;
  }
  return null;
}

function StepActions(props: {
  found: Found;
  isOnly: boolean;
  move: (by: 1 | -1) => void;
  remove: () => void;
}) {
  const { siblings, index } = props.found.place;
  return (
    <>
      <PanelButton
        icon="arrowUp"
        label={t.drip.moveUp}
        disabled={!canMove(siblings, index, -1)}
        act={() => props.move(-1)}
      />
      <PanelButton
        icon="arrowDown"
        label={t.drip.moveDown}
        disabled={!canMove(siblings, index, 1)}
        act={() => props.move(1)}
      />
      <button
        type="button"
        class="btn small"
        disabled={props.isOnly}
        title={props.isOnly ? t.drip.lastStep : undefined}
        onClick={props.remove}
      >
        {t.drip.removeStep}
      </button>
    </>
  );
}

function PanelButton(props: {
  icon: 'arrowUp' | 'arrowDown' | 'xMark';
  label: string;
  disabled?: boolean;
  act: () => void;
}) {
  return (
    <button
      type="button"
      class="btn quiet small"
      aria-label={props.label}
      title={props.label}
      disabled={props.disabled ?? false}
      onClick={props.act}
    >
      <Icon name={props.icon} small />
    </button>
  );
}
