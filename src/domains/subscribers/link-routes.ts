import { pageOf } from '../../base/contract/common';
import { decodeCursor, toPage } from '../../base/contract/cursor';
import { orNotFound } from '../../base/contract/errors';
import { startParameter } from '../../base/contract/start-parameters';
import type { Core } from '../../base/core';
import { routesOf, type Caller } from '../../base/http/route';
import { isoTime, isoTimeOrNull } from '../../base/lib/iso-time';
import { botLinks, noBotLinks } from './bot-links';
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

const route = routesOf('Subscribe links');
const hidden = 'Its addresses are null for a caller without the scope `manage`.';

export function createLinkRoutes(deps: Pick<Core, 'pool' | 'cipher' | 'config' | 'messengers'>) {
  const { pool, cipher } = deps;
  const tokenOf = ({ id, token_sealed }: SubscribeLink) => cipher.decrypt(token_sealed, linkTokenPurpose, id);

  /** Only a caller who could create the link sees its addresses: one with an external_id subscribes as that person. */
  function present(link: SubscribeLink, { scopes }: Pick<Caller, 'scopes'>): LinkView {
    const addresses = scopes.includes('manage')
      ? botLinks(deps, { id: link.project_id }, startParameter('link', tokenOf(link)))
      : noBotLinks();
    return {
      link_id: link.id,
      name: link.name,
      tags: link.tags,
      permissions: link.permissions,
      external_id: link.external_id,
      expires_at: isoTimeOrNull(link.expires_at),
      max_uses: link.max_uses,
      uses: link.uses,
      ...addresses,
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
        response: subscribeLinkSchema,
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
        idempotent: {},
        body: newLinkSchema,
        status: 201,
        response: linkSchema,
        errors: ['invalid_external_id', 'conflict'],
      },
      async ({ project, body, work }) => present(await createLink(deps, project.id, body, work), project),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/subscribe-links',
        summary: 'List subscribe links',
        description: hidden,
        query: linkListQuery,
        response: pageOf(linkSchema),
      },
      async ({ project, query: { cursor, limit } }) =>
        toPage(await listLinks(pool, project.id, { before: decodeCursor(cursor), limit }), limit, (link) =>
          present(link, project),
        ),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/subscribe-links/{link_id}',
        summary: 'Get a subscribe link',
        description: hidden,
        params: linkParams,
        response: linkSchema,
      },
      async ({ project, params }) => {
        return present(orNotFound(await findLink(pool, project.id, params.link_id)), project);
      },
    ),

    route(
      {
        method: 'DELETE',
        path: '/v1/subscribe-links/{link_id}',
        summary: 'Delete a subscribe link',
        description: 'The link stops working. Its subscribers stay.',
        params: linkParams,
        status: 204,
      },
      async ({ project, params }) => {
        orNotFound((await deleteLink(pool, project.id, params.link_id)) > 0);
      },
    ),
  ];
}
