import { isTemplated } from '../../base/contract/content';
import type { Db } from '../../base/db/pool';
import type { LabelUse } from '../subscribers';
import type { TemplateUse } from '../templates';
import { contentsOf, type Step, type Trigger } from './contract';
import { findDefinitionsInUse } from './queries/chains';
import type { Rules } from './rules/contract';

/** The chain that names a tag or a permission, in any version that is in use. */
export const chainNaming: LabelUse = async (db, projectId, kind, name) => {
  const definitions = await findDefinitionsInUse(db, projectId);
  const found = definitions.find((each) => labelsIn(each)[kind].includes(name));
  return found ? `the drip chain "${found.name}"` : null;
};

/** The chains that use a template, in any version that is in use. */
export async function chainsWithTemplate(db: Db, projectId: string, key: string): Promise<TemplateUse[]> {
  const definitions = await findDefinitionsInUse(db, projectId);
  return definitions
    .flatMap(({ steps }) => contentsOf(steps))
    .flatMap(({ content }) =>
      isTemplated(content) && content.template === key
        ? [{ what: 'a drip chain', vars: content.vars, further: ['event'] as const }]
        : [],
    );
}

/** Every tag and every permission that a definition names. */
export function labelsIn({
  trigger,
  steps,
  exit_on,
}: {
  trigger: Trigger;
  steps: readonly Step[];
  exit_on: Rules | null;
}): { tags: string[]; permissions: string[] } {
  const rules = [...(exit_on?.rules ?? []), ...steps.flatMap(rulesIn)];
  return {
    tags: [
      ...(trigger.type === 'tag_added' ? [trigger.tag] : []),
      ...steps.flatMap((step) => (step.type === 'tag' ? [...(step.add ?? []), ...(step.remove ?? [])] : [])),
      ...rules.flatMap(({ tag }) => tag ?? []),
    ],
    permissions: [
      ...steps.flatMap((step) => (step.type === 'send' ? (step.permission ?? []) : [])),
      ...rules.flatMap(({ permission }) => permission ?? []),
    ],
  };
}

function rulesIn(step: Step): Rules['rules'] {
  return step.type === 'condition' ? step.if.rules : [];
}
