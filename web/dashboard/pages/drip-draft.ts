import type { ChainStep } from '../api';
import { contentDraft, contentOf, emptyContent, type ContentDraft } from '../message/content';

/** A step as it is typed. Its key stays the same while steps are moved and their ids edited. */
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

export function withNewStep(drafts: StepDraft[], type: ChainStep['type']): StepDraft[] {
  const key = 1 + Math.max(-1, ...drafts.map((draft) => draft.key));
  return [...drafts, { key, step: newStep(freeId(drafts, type), type), content: emptyContent }];
}

export function moved(drafts: StepDraft[], from: number, to: number): StepDraft[] {
  const changed = [...drafts];
  changed.splice(to, 0, ...changed.splice(from, 1));
  return changed;
}

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
