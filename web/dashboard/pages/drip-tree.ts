import type { ChainView } from '../../../src/domains/drip/contract';

/**
 * A chain as it is drawn. The API has a list of steps in which a condition either goes on or jumps to a later step; the
 * picture has columns below a condition. The list is the truth: each change reads the tree from it and writes it back.
 */
export interface HasStep {
  key: number;
  step: ChainView['steps'][number];
}

export interface TreeNode<D extends HasStep> {
  draft: D;
  /** Of a condition: the steps where its rules hold. */
  yes: TreeNode<D>[];
  otherwise: Otherwise<D>;
}

/**
 * What follows if the rules of a condition do not hold: `steps`, a column of their own, because the other one ends;
 * `skip`, the first step behind the yes column; `end`; or `jump`, a step further down.
 */
type Otherwise<D extends HasStep> =
  | { kind: 'none' }
  | { kind: 'steps'; steps: TreeNode<D>[] }
  | { kind: 'skip' }
  | { kind: 'end' }
  | { kind: 'jump'; to: string };

const END = 'end';

/** Reads the tree from the list. */
export function treeOf<D extends HasStep>(drafts: D[]): TreeNode<D>[] {
  return between(drafts, 0, drafts.length);
}

function between<D extends HasStep>(drafts: D[], from: number, to: number): TreeNode<D>[] {
  const nodes: TreeNode<D>[] = [];
  let at = from;
  while (at < to) {
    const draft = drafts[at];
    if (!draft) break;
    const { step } = draft;
    at += 1;
    if (step.type !== 'condition') {
      nodes.push({ draft, yes: [], otherwise: { kind: 'none' } });
      continue;
    }
    const target = drafts.findIndex((other) => other.step.id === step.else);
    if (step.else === END || target < at || target > to) {
      // Nothing joins the yes column again: it is the rest.
      const otherwise: Otherwise<D> =
        step.else === END || target < at ? { kind: 'end' } : { kind: 'jump', to: step.else };
      nodes.push({ draft, yes: between(drafts, at, to), otherwise });
      return nodes;
    }
    const yes = between(drafts, at, target);
    if (target < to && target > at && drafts[target - 1]?.step.type === 'end') {
      nodes.push({ draft, yes, otherwise: { kind: 'steps', steps: between(drafts, target, to) } });
      return nodes;
    }
    if (target === to) {
      // Behind this column: as a jump, because nothing of the column follows.
      nodes.push({ draft, yes, otherwise: { kind: 'jump', to: step.else } });
      return nodes;
    }
    nodes.push({ draft, yes, otherwise: { kind: 'skip' } });
    at = target;
  }
  return nodes;
}

/**
 * Writes the list from the tree. `newEnd` makes the step that ends a yes column beside a no column, with a key and an id
 * that none of the steps it is given has.
 */
export function listOf<D extends HasStep>(nodes: TreeNode<D>[], newEnd: (taken: D[]) => D): D[] {
  const all = draftsIn(nodes);
  const list: D[] = [];
  /** Conditions whose target is the step that is written next. */
  let waiting: number[] = [];
  const push = (draft: D) => {
    for (const index of waiting) pointTo(index, draft.step.id);
    waiting = [];
    list.push(draft);
  };
  const pointTo = (index: number, target: string) => {
    const draft = list[index];
    if (draft?.step.type === 'condition') list[index] = { ...draft, step: { ...draft.step, else: target } };
  };
  const write = (each: TreeNode<D>[]) => {
    for (const { draft, yes, otherwise } of each) {
      push(draft);
      if (draft.step.type !== 'condition') continue;
      const index = list.length - 1;
      write(yes);
      if (otherwise.kind === 'end') pointTo(index, END);
      else if (otherwise.kind === 'jump') pointTo(index, otherwise.to);
      else if (otherwise.kind === 'skip') waiting.push(index);
      else if (otherwise.kind === 'steps') {
        if (list.at(-1)?.step.type !== 'end') push(newEnd([...all, ...list]));
        waiting.push(index);
        write(otherwise.steps);
      }
    }
  };
  write(nodes);
  for (const index of waiting) pointTo(index, END);
  // A jump to a step that is gone, or that does not follow any more, ends the chain.
  return list.map((draft, index) => {
    const { step } = draft;
    if (step.type !== 'condition' || step.else === END) return draft;
    const target = list.findIndex((other) => other.step.id === step.else);
    return target > index ? draft : { ...draft, step: { ...step, else: END } };
  });
}

/** Where a step can be put: a column, and its place in it. */
export type Column = { of: number; side: 'yes' | 'no' } | null;

/** Applies a change to the column that it is about; the others stay. */
function inColumn<D extends HasStep>(
  nodes: TreeNode<D>[],
  column: Column,
  change: (nodes: TreeNode<D>[]) => TreeNode<D>[],
): TreeNode<D>[] {
  if (column === null) return change(nodes);
  return nodes.map((node) => {
    const { otherwise } = node;
    if (node.draft.key === column.of) {
      if (column.side === 'yes') return { ...node, yes: change(node.yes) };
      const steps = change(otherwise.kind === 'steps' ? otherwise.steps : []);
      return { ...node, otherwise: steps.length > 0 ? { kind: 'steps', steps } : { kind: 'end' } };
    }
    return {
      ...node,
      yes: inColumn(node.yes, column, change),
      otherwise:
        otherwise.kind === 'steps'
          ? { kind: 'steps', steps: inColumn(otherwise.steps, column, change) }
          : otherwise,
    };
  });
}

export function inserted<D extends HasStep>(
  nodes: TreeNode<D>[],
  column: Column,
  place: number,
  draft: D,
): TreeNode<D>[] {
  return inColumn(nodes, column, (before) => {
    // What followed a new condition is what happens if it holds.
    const isCondition = draft.step.type === 'condition';
    const node: TreeNode<D> = {
      draft,
      yes: isCondition ? before.slice(place) : [],
      otherwise: { kind: isCondition ? 'end' : 'none' },
    };
    return [...before.slice(0, place), node, ...(isCondition ? [] : before.slice(place))];
  });
}

/** Whether a step can change places with its neighbour: conditions and their columns stay. */
export function canMove<D extends HasStep>(nodes: TreeNode<D>[], place: number, by: 1 | -1): boolean {
  const isPlain = (node: TreeNode<D> | undefined) =>
    node !== undefined && node.draft.step.type !== 'condition';
  return isPlain(nodes[place]) && isPlain(nodes[place + by]);
}

export function moved<D extends HasStep>(
  nodes: TreeNode<D>[],
  column: Column,
  place: number,
  by: 1 | -1,
): TreeNode<D>[] {
  return inColumn(nodes, column, (before) => {
    if (!canMove(before, place, by)) return before;
    const changed = [...before];
    changed.splice(place + by, 0, ...changed.splice(place, 1));
    return changed;
  });
}

/** Without a step. Of a condition the yes column stays, the no column goes with it. */
export function removed<D extends HasStep>(
  nodes: TreeNode<D>[],
  column: Column,
  place: number,
): TreeNode<D>[] {
  return inColumn(nodes, column, (before) => {
    const node = before[place];
    if (!node) return before;
    const ended = node.otherwise.kind === 'steps' && node.yes.at(-1)?.draft.step.type === 'end';
    const kept = ended ? node.yes.slice(0, -1) : node.yes;
    return [...before.slice(0, place), ...kept, ...before.slice(place + 1)];
  });
}

/** The steps of a column, those of its conditions included. */
export function draftsIn<D extends HasStep>(nodes: TreeNode<D>[]): D[] {
  return nodes.flatMap(({ draft, yes, otherwise }) => [
    draft,
    ...draftsIn(yes),
    ...(otherwise.kind === 'steps' ? draftsIn(otherwise.steps) : []),
  ]);
}
