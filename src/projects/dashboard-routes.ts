import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
import type { Core } from '../core';
import { createFailureLimit } from '../http/failure-limit';
import { route } from '../http/route';
import { sha256 } from '../lib/tokens';
import { dashboardSessionSchema, signInSchema, type DashboardSession, type KeyedProject } from './contract';
import { requireDashboardPage, signIn, signOut } from './dashboard-session';
import { findProjectByKey } from './queries/keys';

const tag = 'Dashboard';
const path = '/dashboard/session';

/** Signs in to the dashboard, whose pages then call the API with the session cookie instead of a key. */
export function createDashboardRoutes(core: Pick<Core, 'pool' | 'config' | 'publicUrl' | 'temporalUiUrl'>) {
  const { pool, config, publicUrl, temporalUiUrl } = core;
  const recordFailure = createFailureLimit(
    pool,
    'sign_in',
    limits.dashboardSignInFailures.max,
    limits.dashboardSignInFailures.minutes * 60,
  );

  const present = (project: KeyedProject): DashboardSession => ({
    project_id: project.id,
    key_id: project.key_id,
    temporal_ui_url:
      temporalUiUrl && `${temporalUiUrl}/namespaces/${encodeURIComponent(config.TEMPORAL_NAMESPACE)}`,
  });

  return [
    route(
      {
        method: 'POST',
        path,
        summary: 'Sign in to the dashboard',
        description: `Takes an API key and sets a cookie for ${limits.dashboardSessionHours} hours. For the dashboard’s own pages only.`,
        tag,
        auth: 'none',
        body: signInSchema,
        status: 200,
        response: dashboardSessionSchema,
        errors: ['invalid_api_key', 'project_inactive', 'forbidden', 'rate_limit_sign_in'],
      },
      async ({ body, ctx }) => {
        requireDashboardPage(ctx, publicUrl());
        const project = await findProjectByKey(pool, sha256(body.api_key.trim()));
        if (!project) {
          const retryAfter = await recordFailure(ctx.ip);
          if (retryAfter !== null) throw new AppError('rate_limit_sign_in', undefined, { retryAfter });
          throw new AppError('invalid_api_key');
        }
        if (!project.active) throw new AppError('project_inactive');
        await signIn(ctx, core, project.key_id);
        return present(project);
      },
    ),
    route(
      {
        method: 'GET',
        path,
        summary: 'Get the current sign-in',
        tag,
        auth: 'key',
        status: 200,
        response: dashboardSessionSchema,
        errors: ['forbidden'],
      },
      async ({ project }) => present(project),
    ),
    route(
      {
        method: 'DELETE',
        path,
        summary: 'Sign out of the dashboard',
        tag,
        auth: 'none',
        status: 204,
        errors: ['forbidden'],
      },
      async ({ ctx }) => {
        requireDashboardPage(ctx, publicUrl());
        await signOut(ctx, core);
      },
    ),
  ];
}
