import { useState } from 'preact/hooks';
import type { ChainStep } from '../api';
import { Icon } from '../elements';
import { t } from '../texts';
import { stepIcons, stepLine } from './drip-steps';
import type { Column } from './drip-tree';

const stepTypes = ['send', 'delay', 'wait_until', 'condition', 'tag', 'end'] as const;

/** A plus between two cards or at the end of a column, which opens the kinds of steps. */
export function AddStep(props: {
  column: Column;
  /** The step that will follow; null at the end of a column. */
  before: ChainStep | null;
  add: (type: ChainStep['type']) => void;
}) {
  const { column, before } = props;
  const [isOpen, setOpen] = useState(false);
  const label = before
    ? t.drip.addStepBefore(stepLine(before))
    : column
      ? t.drip.addStepUnder[column.side]
      : t.drip.addStep;
  // Between two steps a new end would cut off what follows.
  const types = before ? stepTypes.filter((type) => type !== 'end') : stepTypes;
  return (
    <div class={before ? 'add-step between' : 'add-step'}>
      <button
        type="button"
        class={before ? 'btn quiet small' : 'btn small'}
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="plus" small /> {!before && t.drip.addStep}
      </button>
      {isOpen && (
        <span class="step-choices" role="group" aria-label={label}>
          {types.map((type) => (
            <button
              key={type}
              type="button"
              class="btn small"
              onClick={() => {
                setOpen(false);
                props.add(type);
              }}
            >
              <Icon name={stepIcons[type]} small /> {t.drip.stepTypes[type]}
            </button>
          ))}
        </span>
      )}
    </div>
  );
}
