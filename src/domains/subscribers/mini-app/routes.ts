import { orNotFound } from '../../../base/contract/errors';
import { route } from '../../../base/http/route';
import { miniProjectQuery, miniProjectSchema, miniSubscribedSchema, miniSubscribeSchema } from '../contract';
import { offeredPermissions } from '../queries/labels';
import { findTarget, subscribeInMiniApp, type MiniAppDeps } from './subscribe';

const tag = 'Mini App';

/** Routes of the Mini App's page. The data that the messenger has signed authorizes them. */
export function createMiniAppRoutes(deps: MiniAppDeps) {
  return [
    route(
      {
        method: 'GET',
        path: '/mini/project',
        summary: 'Get what the Mini App shows',
        description: '`start` is the start parameter of the Mini App: `proj_…` or `l_…`.',
        tag,
        auth: 'none',
        query: miniProjectQuery,
        response: miniProjectSchema,
        errors: ['not_found'],
      },
      async ({ query }) => {
        const target = orNotFound(await findTarget(deps, query.start));
        const offered = await offeredPermissions(deps.pool, target.project.id);
        return {
          name: target.project.name,
          permissions: offered.map(({ name, title_en, title_ru, granted_by_default }) => ({
            name,
            title_en,
            title_ru,
            default: granted_by_default,
          })),
        };
      },
    ),

    route(
      {
        method: 'POST',
        path: '/mini/subscribe',
        summary: 'Subscribe from the Mini App',
        description:
          'The bot sends its usual confirmation; if the messenger refuses it, nothing is stored. Chosen permissions are added, never removed.',
        tag,
        auth: 'none',
        body: miniSubscribeSchema,
        status: 201,
        response: miniSubscribedSchema,
        errors: [
          'invalid_init_data',
          'not_found',
          'conflict',
          'already_subscribed',
          'platform_busy',
          'rate_limit_address',
        ],
      },
      ({ body }) => subscribeInMiniApp(deps, body),
    ),
  ];
}
