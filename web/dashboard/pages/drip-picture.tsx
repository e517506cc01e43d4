import type { ComponentChildren } from 'preact';
import { Icon } from '../elements';
import { t } from '../texts';
import { stepIcons, stepLine } from './drip-steps';
import type { Column, HasStep, TreeNode } from './drip-tree';

/** Where a step stands in the picture. */
export interface Place<D extends HasStep> {
  column: Column;
  /** The steps of its column. */
  siblings: TreeNode<D>[];
  index: number;
}

interface Drawing<D extends HasStep> {
  /** All steps, for the names of those that are jumped to. */
  steps: D[];
  card: (node: TreeNode<D>, place: Place<D>) => ComponentChildren;
  /** What adds a step at a place of a column; without it the picture is only looked at. */
  add?: (column: Column, index: number, before: TreeNode<D> | null) => ComponentChildren;
}

/** The chain from top to bottom: a card for each step, two columns below a condition. */
export function ChainPicture<D extends HasStep>(props: Drawing<D> & { nodes: TreeNode<D>[] }) {
  const { nodes, ...drawing } = props;
  return (
    <div class="picture">
      <StepColumn {...drawing} nodes={nodes} column={null} joins={false} label={t.drip.steps} />
    </div>
  );
}

/** `joins`: further steps follow below its end, which it shares with the other column. */
function StepColumn<D extends HasStep>(
  props: Drawing<D> & { nodes: TreeNode<D>[]; column: Column; joins: boolean; label: string },
) {
  const { nodes, column, add } = props;
  const last = nodes.at(-1);
  // A column that ends in a condition goes on in the columns of that condition.
  const isOpen = !last || last.draft.step.type !== 'condition' || last.otherwise.kind === 'skip';
  return (
    <>
      <ol class="chain-column" aria-label={props.label}>
        {nodes.map((node, index) => (
          <li key={node.draft.key}>
            {add?.(column, index, node)}
            {props.card(node, { column, siblings: nodes, index })}
            {node.draft.step.type === 'condition' && (
              <Branches {...props} node={node} joins={props.joins || index < nodes.length - 1} />
            )}
          </li>
        ))}
      </ol>
      {isOpen && last?.draft.step.type !== 'end' && add?.(column, nodes.length, null)}
    </>
  );
}

function Branches<D extends HasStep>(props: Drawing<D> & { node: TreeNode<D>; joins: boolean }) {
  const { node, steps, card, add } = props;
  const { otherwise, draft } = node;
  const drawing = { steps, card, ...(add ? { add } : {}) };
  const target = otherwise.kind === 'jump' ? steps.find(({ step }) => step.id === otherwise.to) : undefined;
  return (
    <div class={otherwise.kind === 'steps' ? 'branches' : 'branches short-no'}>
      <div class="branch">
        <p class="branch-name">{t.drip.yes}</p>
        <StepColumn
          {...drawing}
          nodes={node.yes}
          column={{ of: draft.key, side: 'yes' }}
          joins={props.joins || otherwise.kind === 'skip'}
          label={t.drip.yes}
        />
      </div>
      <div class="branch">
        <p class="branch-name">{t.drip.no}</p>
        {otherwise.kind === 'steps' ? (
          <StepColumn
            {...drawing}
            nodes={otherwise.steps}
            column={{ of: draft.key, side: 'no' }}
            joins={props.joins}
            label={t.drip.no}
          />
        ) : (
          <p class="hint branch-end">
            <Icon name={otherwise.kind === 'end' ? 'flag' : 'arrowDown'} small />{' '}
            {otherwise.kind === 'end'
              ? t.drip.leavesHere
              : target
                ? t.drip.goesOnWith(stepLine(target.step))
                : t.drip.skipsDown}
          </p>
        )}
        {otherwise.kind === 'end' && !props.joins && add?.({ of: draft.key, side: 'no' }, 0, null)}
      </div>
    </div>
  );
}

/** One line about a step. */
export function StepLine({ step }: Pick<HasStep, 'step'>) {
  const line = stepLine(step);
  return (
    <span class="step-line" title={line}>
      <Icon name={stepIcons[step.type]} small />
      <span class="clip">{line}</span>
    </span>
  );
}
