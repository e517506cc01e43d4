import { idParams, pageOf } from '../../base/contract/common';
import { shortListQuery, shortPage } from '../../base/contract/short-list';
import { AppError, orNotFound } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { withTransaction } from '../../base/db/pool';
import { createFailureLimit } from '../../base/http/failure-limit';
import { authenticatedErrors, routesOf, type Route } from '../../base/http/route';
import { sha256 } from '../../base/lib/tokens';
import {
  dashboardSessionSchema,
  ownedProjectSchema,
  ownNotifySchema,
  ownProjectSchema,
  signInRecordSchema,
  signInSchema,
  switchProjectSchema,
} from './contract';
import { admitAccount, admitKey, requireAccount, signedInOwner, type CallerDeps } from './dashboard-callers';
import { notInTeam, requireSameOrigin, requireShownProject, signIn, signOut } from './dashboard-session';
import { presentAccount, presentKey, presentSession } from './dashboard-view';
import { createOwnProject } from './own-projects';
import { insertAuditEntry } from './queries/audit';
import { listAccountProjects, setOwnNotify } from './queries/account-projects';
import {
  listDashboardSessions,
  removeOwnDashboardSession,
  setSessionProject,
} from './queries/dashboard-sessions';
import { findProjectByKey } from './queries/keys';

const route = routesOf('Dashboard');
const path = '/dashboard/session';

type Deps = CallerDeps & Pick<Core, 'config' | 'temporalUiUrl' | 'log'>;

/** Signing in to the dashboard, whose pages then call the API with the session cookie instead of a key. */
export function createDashboardRoutes(core: Deps): Route[] {
  return [...createSessionRoutes(core), ...createSignInListRoutes(core), createOwnProjectRoute(core)];
}

function createSessionRoutes(core: Deps): Route[] {
  const { pool, publicUrl } = core;
  const recordFailure = createFailureLimit(
    pool,
    'sign_in',
    limits.dashboardSignInFailures.max,
    limits.dashboardSignInFailures.minutes * 60,
  );
  return [
    route(
      {
        method: 'POST',
        path,
        summary: 'Sign in to the dashboard',
        description: `Takes an API key and sets a cookie for ${limits.dashboardSessionHours} hours. For the dashboard’s own pages only.`,
        auth: 'none',
        body: signInSchema,
        response: dashboardSessionSchema,
        errors: ['invalid_api_key', 'project_inactive', 'forbidden', 'rate_limit_sign_in'],
      },
      async ({ body, ctx }) => {
        requireSameOrigin(ctx, publicUrl());
        const project = await findProjectByKey(pool, sha256(body.api_key.trim()));
        if (!project) {
          const retryAfter = await recordFailure(ctx.ip);
          if (retryAfter !== null) throw new AppError('rate_limit_sign_in', undefined, { retryAfter });
          throw new AppError('invalid_api_key');
        }
        if (!project.active) throw new AppError('project_inactive');
        await signIn(ctx, core, pool, { key_id: project.key_id });
        return presentKey(core, project);
      },
    ),
    route(
      {
        method: 'GET',
        path,
        summary: 'Get the current sign-in',
        description: 'Also for an account that is in no team.',
        auth: 'none',
        response: dashboardSessionSchema,
        errors: [...authenticatedErrors],
      },
      async ({ ctx }) => {
        const account = await admitAccount(core, ctx);
        return account
          ? presentAccount(core, account.session, account.hash)
          : presentKey(core, await admitKey(core, ctx));
      },
    ),
    route(
      {
        method: 'PUT',
        path,
        summary: 'Switch to another project',
        auth: 'none',
        body: switchProjectSchema,
        response: dashboardSessionSchema,
        errors: [...authenticatedErrors, 'not_found'],
      },
      async ({ body, ctx }) => {
        const account = await admitAccount(core, ctx);
        if (!account) {
          const project = await admitKey(core, ctx);
          if (project.id !== body.project_id) throw new AppError('not_found');
          return presentKey(core, project);
        }
        const { hash, session } = account;
        const projects = await listAccountProjects(pool, session.account_id);
        if (!projects.some(({ project_id }) => project_id === body.project_id)) {
          throw new AppError('not_found');
        }
        await setSessionProject(pool, hash, body.project_id);
        return presentAccount(core, { ...session, project_id: body.project_id }, hash);
      },
    ),
    route(
      {
        method: 'PATCH',
        path,
        summary: 'Change what the bot tells you',
        description: 'For a member of any role, about the current project.',
        auth: 'none',
        body: ownNotifySchema,
        response: dashboardSessionSchema,
        errors: [...authenticatedErrors, 'conflict'],
      },
      async ({ body, ctx }) => {
        const { hash, session } = await requireAccount(
          core,
          ctx,
          'Sign in with a messenger: an API key gets no messages.',
        );
        requireShownProject(ctx, session.project_id);
        await withTransaction(pool, async (db) => {
          const member = await setOwnNotify(db, session, body.notify);
          if (!member) throw notInTeam();
          // As `PATCH /v1/members/{id}` is logged.
          await insertAuditEntry(db, {
            project_id: member.project_id,
            actor_type: 'member',
            actor_id: member.id,
            action: 'member.updated',
            target_id: member.id,
            ip: ctx.ip,
          });
        });
        return presentAccount(core, session, hash);
      },
    ),
    route(
      {
        method: 'DELETE',
        path,
        summary: 'Sign out of the dashboard',
        auth: 'none',
        status: 204,
        errors: ['forbidden'],
      },
      // Not counted: a person can always sign out.
      async ({ ctx }) => {
        requireSameOrigin(ctx, publicUrl());
        await signOut(ctx, core);
      },
    ),
  ];
}

function createSignInListRoutes(core: Deps): Route[] {
  const { pool } = core;
  return [
    route(
      {
        method: 'GET',
        path: '/dashboard/sessions',
        summary: 'List your sign-ins',
        description: 'The sign-ins of the account, also of one that is in no team, or of the API key.',
        auth: 'none',
        query: shortListQuery,
        response: pageOf(signInRecordSchema),
        errors: [...authenticatedErrors],
      },
      async ({ ctx, query }) => {
        const owner = await signedInOwner(core, ctx);
        const found = await listDashboardSessions(pool, owner);
        const present = (session: (typeof found)[number]) => presentSession(session, owner.dashboard_session);
        return shortPage(found, query, ({ id }) => id, present);
      },
    ),
    route(
      {
        method: 'DELETE',
        path: '/dashboard/sessions/{id}',
        summary: 'End a sign-in',
        auth: 'none',
        params: idParams,
        status: 204,
        errors: [...authenticatedErrors, 'not_found'],
      },
      async ({ ctx, params }) => {
        const owner = await signedInOwner(core, ctx);
        orNotFound(await removeOwnDashboardSession(pool, owner, params.id));
      },
    ),
  ];
}

function createOwnProjectRoute(core: Deps): Route {
  const { pool, config } = core;
  return route(
    {
      method: 'POST',
      path: '/dashboard/projects',
      summary: 'Create a project',
      description:
        'For an account, where the operator allows it (`HERALD_OPEN_SIGNUP`). It becomes the owner.',
      auth: 'none',
      body: ownProjectSchema,
      status: 201,
      response: ownedProjectSchema,
      errors: [...authenticatedErrors, 'plan_limit', 'conflict'],
    },
    async ({ body, ctx }) => {
      const isOpen = config.HERALD_OPEN_SIGNUP;
      const refusal = isOpen
        ? 'Sign in with a messenger to create a project.'
        : 'Only the operator creates projects here.';
      const { session } = await requireAccount(core, ctx, refusal);
      if (!isOpen) throw new AppError('forbidden', refusal);
      return withTransaction(pool, (db) =>
        createOwnProject(db, { accountId: session.account_id, ip: ctx.ip }, body),
      );
    },
  );
}
