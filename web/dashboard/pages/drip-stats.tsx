import type { ChainStats } from '../../../src/domains/drip/contract';
import type { ChainStep } from '../api';
import { number, percent } from '../format';
import { t } from '../texts';
import { ChainPicture, StepLine, type Place } from './drip-picture';
import { treeOf, type HasStep, type TreeNode } from './drip-tree';

/** The picture of a chain with what happened at each step. */
export function ChainResults({ steps, stats }: { steps: ChainStep[]; stats: ChainStats | null }) {
  const drafts: HasStep[] = steps.map((step, key) => ({ key, step }));
  return (
    <ChainPicture
      steps={drafts}
      nodes={treeOf(drafts)}
      card={(node, place) => (
        <div class="step-card">
          <StepLine step={node.draft.step} />
          {stats && <Counts node={node} place={place} stats={stats} />}
        </div>
      )}
    />
  );
}

function Counts(props: { node: TreeNode<HasStep>; place: Place<HasStep>; stats: ChainStats }) {
  const { node, place, stats } = props;
  const countsOf = (id: string | undefined) => stats.steps.find(({ step_id }) => step_id === id);
  const counts = countsOf(node.draft.step.id);
  if (!counts) return null;
  const { type } = node.draft.step;
  // Below a condition people are divided: only steps of one column, one after the other, can be compared.
  const before = place.siblings[place.index - 1];
  const reachedBefore = before?.yes.length === 0 ? countsOf(before.draft.step.id)?.reached : undefined;
  const lost = reachedBefore === undefined ? 0 : reachedBefore - counts.reached;
  const share = stats.enrolled === 0 ? 0 : counts.reached / stats.enrolled;
  return (
    <span class="step-counts">
      <progress max={1} value={share} aria-label={t.drip.shareReached} />
      <span>
        {t.drip.reached(number(counts.reached))}
        {stats.enrolled > 0 && ` (${percent(share)})`}
      </span>
      {lost > 0 && <span class="lost">{t.drip.fewer(number(lost))}</span>}
      {type === 'send' && <span>{t.drip.sentCount(number(counts.sent))}</span>}
      {counts.failed > 0 && <span class="bad-text">{t.drip.failedCount(number(counts.failed))}</span>}
      {counts.skipped > 0 && <span>{t.drip.skippedCount(number(counts.skipped))}</span>}
    </span>
  );
}
