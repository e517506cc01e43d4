import { pageOf } from '../contract/common';
import { decodeCursor, toPage } from '../contract/cursor';
import { AppError } from '../contract/errors';
import { startParameter } from '../contract/start-parameters';
import type { Core } from '../core';
import { route } from '../http/route';
import { isoTime, isoTimeOrNull } from '../lib/iso-time';
import { botLinks } from './bot-links';
import {
  linkListQuery,
  linkParams,
  linkSchema,
  newLinkSchema,
  subscribeLinkSchema,
  type LinkView,
} from './contract';
import { createLink, linkTokenPurpose } from './links';
import { deleteLink, findLink, listLinks, type SubscribeLink } from './queries/links';

const tag = 'Subscribe links';

export function createLinkRoutes(deps: Pick<Core, 'pool' | 'cipher' | 'config' | 'messengers'>) {
  const { pool, cipher } = deps;

  function present(link: SubscribeLink): LinkView {
    const token = cipher.decrypt(link.token_sealed, linkTokenPurpose, link.id);
    return {
      link_id: link.id,
      name: link.name,
      tags: link.tags,
      permissions: link.permissions,
      external_id: link.external_id,
      expires_at: isoTimeOrNull(link.expires_at),
      max_uses: link.max_uses,
      uses: link.uses,
      ...botLinks(deps, { id: link.project_id }, startParameter('link', token)),
      created_at: isoTime(link.created_at),
    };
  }

  return [
    route(
      {
        method: 'GET',
        path: '/v1/subscribe-link',
        summary: 'Get the subscribe links of the project',
        description: 'Opening a link subscribes the user to the project.',
        tag,
        auth: 'key',
        status: 200,
        response: subscribeLinkSchema,
        errors: [],
      },
      async ({ project }) => botLinks(deps, project, startParameter('subscribe', project.slug)),
    ),

    route(
      {
        method: 'POST',
        path: '/v1/subscribe-links',
        summary: 'Create a subscribe link',
        description:
          'Opening it subscribes the user and gives them its tags, permissions and external_id. A link with an external_id works once.',
        tag,
        auth: 'key',
        idempotent: {},
        body: newLinkSchema,
        status: 201,
        response: linkSchema,
        errors: ['invalid_external_id', 'conflict'],
      },
      async ({ project, body, work }) => present(await createLink(deps, project.id, body, work)),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/subscribe-links',
        summary: 'List subscribe links',
        tag,
        auth: 'key',
        query: linkListQuery,
        status: 200,
        response: pageOf(linkSchema),
        errors: [],
      },
      async ({ project, query: { cursor, limit } }) =>
        toPage(await listLinks(pool, project.id, { before: decodeCursor(cursor), limit }), limit, present),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/subscribe-links/{link_id}',
        summary: 'Get a subscribe link',
        tag,
        auth: 'key',
        params: linkParams,
        status: 200,
        response: linkSchema,
        errors: [],
      },
      async ({ project, params }) => {
        const link = await findLink(pool, project.id, params.link_id);
        if (!link) throw new AppError('not_found');
        return present(link);
      },
    ),

    route(
      {
        method: 'DELETE',
        path: '/v1/subscribe-links/{link_id}',
        summary: 'Delete a subscribe link',
        description: 'The link stops working. Its subscribers stay.',
        tag,
        auth: 'key',
        params: linkParams,
        status: 204,
        errors: [],
      },
      async ({ project, params }) => {
        if ((await deleteLink(pool, project.id, params.link_id)) === 0) throw new AppError('not_found');
      },
    ),
  ];
}
