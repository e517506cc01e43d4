import type { Core } from '../../base/core';
import { routesOf } from '../../base/http/route';
import { projectTextChangesSchema, projectTextsSchema } from './contract';
import { changeProjectTexts, readProjectTexts } from './project-texts';

const route = routesOf('Project');

export function createTextRoutes({ pool }: Pick<Core, 'pool'>) {
  return [
    route(
      {
        method: 'GET',
        path: '/v1/project/texts',
        summary: 'Get the texts of the bot',
        response: projectTextsSchema,
      },
      ({ project }) => readProjectTexts(pool, project.id),
    ),
    route(
      {
        method: 'PUT',
        path: '/v1/project/texts',
        summary: 'Word texts of the bot',
        description:
          'Plain texts with the placeholders of templates, such as `{{first_name|friend}}` and `{{project}}`. A given text replaces both of its languages; null, or a language without a text, restores the bot’s own. The bot adds how to stop its messages. Questions, codes and buttons stay as they are.',
        body: projectTextChangesSchema,
        response: projectTextsSchema,
        errors: ['template_variable_missing'],
      },
      ({ project, body }) => changeProjectTexts(pool, project.id, body),
    ),
  ];
}
