import type { ChainView, Rules, Trigger } from '../../../src/domains/drip/contract';
import { contentDraft, contentOf, emptyContent, type ContentDraft } from '../message/content';

type ChainStep = ChainView['steps'][number];

/** A chain as it is edited. */
export interface ChainDraft {
  name: string;
  trigger: Trigger;
  steps: StepDraft[];
  exit_on: Rules | null;
  reentry: ChainView['reentry'];
}

/** A step as it is typed. Its key stays the same while steps are moved. */
export interface StepDraft {
  key: number;
  step: ChainStep;
  /** Of a step that sends; unused in the others. */
  content: ContentDraft;
}

/** Stored steps, to be edited. */
export function stepDrafts(steps: ChainStep[]): StepDraft[] {
  return steps.map((step, key) => ({
    key,
    step,
    content: step.type === 'send' ? contentDraft(step.content) : emptyContent,
  }));
}

/** What the API takes as `steps`. */
export function stepsOf(drafts: StepDraft[]): ChainStep[] {
  return drafts.map(({ step, content }) =>
    step.type === 'send' ? { ...step, content: contentOf(content) } : step,
  );
}

export function newStepDraft(drafts: StepDraft[], type: ChainStep['type']): StepDraft {
  const key = 1 + Math.max(-1, ...drafts.map((draft) => draft.key));
  return { key, step: newStep(freeId(drafts, type), type), content: emptyContent };
}

export const newEnd = (drafts: StepDraft[]) => newStepDraft(drafts, 'end');

/** An id that no step has yet. */
function freeId(drafts: StepDraft[], type: ChainStep['type']): string {
  for (let n = drafts.length + 1; ; n += 1) {
    const id = `${type.replace('_', '-')}-${n}`;
    if (drafts.every(({ step }) => step.id !== id)) return id;
  }
}

function newStep(id: string, type: ChainStep['type']): ChainStep {
  switch (type) {
    case 'send':
      return { id, type, content: { text: '' } };
    case 'delay':
      return { id, type, minutes: 1440 };
    case 'wait_until':
      return { id, type, from: '09:00', to: '18:00', timezone: 'recipient' };
    case 'condition':
      return { id, type, if: { rules: [{ tag: '' }] }, else: 'end' };
    case 'tag':
      return { id, type, add: [] };
    case 'end':
      return { id, type };
  }
}
