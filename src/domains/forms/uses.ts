import { isTemplated } from '../../base/contract/content';
import type { Db } from '../../base/db/pool';
import type { LabelUse } from '../subscribers';
import type { TemplateUse } from '../templates';
import { contentsOf } from './contract';
import { answerVars, tagsIn } from './forms';
import { findDefinitions } from './queries/forms';

/** The form whose routes add a tag. */
export const formNaming: LabelUse = async (db, projectId, kind, name) => {
  if (kind !== 'tags') return null;
  const found = (await findDefinitions(db, projectId)).find(({ routes }) => tagsIn(routes).includes(name));
  return found ? `the form "${found.name}"` : null;
};

/** The messages of routes that use a template; their placeholders can name the fields. */
export async function formsWithTemplate(db: Db, projectId: string, key: string): Promise<TemplateUse[]> {
  const definitions = await findDefinitions(db, projectId);
  return definitions.flatMap(({ fields, routes }) =>
    contentsOf(routes).flatMap(({ content }) =>
      isTemplated(content) && content.template === key
        ? [{ what: 'a form', vars: { ...answerVars(fields, {}), ...content.vars }, further: [] }]
        : [],
    ),
  );
}
