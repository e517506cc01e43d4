import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../elements';
import { words } from './texts';

/**
 * One row of a list that is ordered by hand: a button that opens it, and buttons that move and remove it. Alt and an arrow
 * move it too. The pressed control keeps the focus where the row goes.
 */
export function MovingCard(props: {
  id: string;
  /** Names it in the labels of its buttons. */
  label: string;
  summary: ComponentChildren;
  isOpen: boolean;
  isFirst: boolean;
  isLast: boolean;
  hasProblem: boolean;
  toggle: () => void;
  move: (step: -1 | 1) => void;
  remove: () => void;
  children: ComponentChildren;
}) {
  const w = words();
  const card = useRef<HTMLLIElement>(null);
  const wanted = useRef<string | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    const control = card.current?.querySelector<HTMLButtonElement>(wanted.current);
    // At the end of the list there is no further to go: the button of the other direction is next.
    const usable = control?.disabled ? card.current?.querySelector<HTMLButtonElement>('.card-open') : control;
    wanted.current = null;
    usable?.focus();
  });
  const move = (step: -1 | 1, selector: string) => {
    wanted.current = selector;
    props.move(step);
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : null;
    if (!event.altKey || step === null) return;
    event.preventDefault();
    if (!(step < 0 ? props.isFirst : props.isLast)) move(step, '.card-open');
  };
  return (
    <li ref={card} class={props.hasProblem ? 'moving-card wrong' : 'moving-card'}>
      <div class="card-head" onKeyDown={press}>
        <button
          type="button"
          class="card-open"
          aria-expanded={props.isOpen}
          aria-controls={props.id}
          title={w.moveKeys}
          onClick={props.toggle}
        >
          {props.summary}
        </button>
        <span class="card-tools">
          <button
            type="button"
            class="btn quiet small card-up"
            aria-label={w.moveUp(props.label)}
            title={w.moveUp(props.label)}
            disabled={props.isFirst}
            onClick={() => move(-1, '.card-up')}
          >
            <Icon name="arrowUp" small />
          </button>
          <button
            type="button"
            class="btn quiet small card-down"
            aria-label={w.moveDown(props.label)}
            title={w.moveDown(props.label)}
            disabled={props.isLast}
            onClick={() => move(1, '.card-down')}
          >
            <Icon name="arrowDown" small />
          </button>
          <button
            type="button"
            class="btn quiet small"
            aria-label={w.remove(props.label)}
            title={w.remove(props.label)}
            onClick={props.remove}
          >
            <Icon name="xMark" small />
          </button>
        </span>
      </div>
      {/* Hidden, not removed: the browser checks closed rows too. */}
      <div id={props.id} class="card-body" hidden={!props.isOpen}>
        {props.children}
      </div>
    </li>
  );
}
