import { pageOf } from '../../base/contract/common';
import { decodeCursor, toPage } from '../../base/contract/cursor';
import { orNotFound } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { routesOf } from '../../base/http/route';
import {
  newTemplateSchema,
  previewResultSchema,
  previewSchema,
  templateDefinitionSchema,
  templateListQuery,
  templateParams,
  templateSchema,
} from './contract';
import { findTemplate, listTemplates } from './queries';
import {
  changeTemplate,
  createTemplate,
  presentTemplate,
  previewTemplate,
  removeTemplate,
} from './templates';

const route = routesOf('Templates');

export function createTemplateRoutes({ pool, config }: Pick<Core, 'pool' | 'config'>) {
  return [
    route(
      {
        method: 'POST',
        path: '/v1/templates',
        summary: 'Create a template',
        description: `A text in one or two languages with placeholders: \`{{name}}\`, or \`{{name|fallback}}\` for when the value is empty. Messages name it by its key. A project can have up to ${limits.templates}.`,
        idempotent: {},
        namedBy: 'key',
        body: newTemplateSchema,
        status: 201,
        response: templateSchema,
        errors: ['conflict', 'invalid_url'],
      },
      async ({ project, body, work }) => presentTemplate(await createTemplate(pool, project.id, body, work)),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/templates',
        summary: 'List templates',
        query: templateListQuery,
        response: pageOf(templateSchema),
      },
      async ({ project, query: { purpose, cursor, limit } }) => {
        const before = decodeCursor(cursor);
        return toPage(
          await listTemplates(pool, project.id, { purpose, before, limit }),
          limit,
          presentTemplate,
        );
      },
    ),

    route(
      {
        method: 'POST',
        path: '/v1/templates/preview',
        summary: 'Preview a template',
        description:
          'Renders a saved template, or one that is not saved yet, as its recipient would see it. Nothing is sent or stored.',
        scope: 'read',
        body: previewSchema,
        response: previewResultSchema,
        errors: ['not_found', 'subscriber_not_found', 'invalid_url'],
      },
      ({ project, body }) => previewTemplate(pool, project.id, body, config.HERALD_SUBSCRIBER_ID_FORMAT),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/templates/{key}',
        summary: 'Get a template',
        params: templateParams,
        response: templateSchema,
      },
      async ({ project, params }) => {
        return presentTemplate(orNotFound(await findTemplate(pool, project.id, params.key)));
      },
    ),

    route(
      {
        method: 'PUT',
        path: '/v1/templates/{key}',
        summary: 'Replace a template',
        description:
          'Replaces everything but the key and raises `version`. Messages, batches and broadcasts that were accepted before keep the version that they were accepted with.',
        params: templateParams,
        body: templateDefinitionSchema,
        response: templateSchema,
        errors: ['invalid_url', 'template_variable_missing'],
      },
      async ({ project, params, body }) =>
        presentTemplate(await changeTemplate(pool, project.id, params.key, body)),
    ),

    route(
      {
        method: 'DELETE',
        path: '/v1/templates/{key}',
        summary: 'Delete a template',
        description: 'Refused while an open scheduled or recurring message or a drip chain uses it.',
        params: templateParams,
        status: 204,
        errors: ['conflict'],
      },
      ({ project, params }) => removeTemplate(pool, project.id, params.key),
    ),
  ];
}
