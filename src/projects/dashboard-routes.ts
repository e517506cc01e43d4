import type { Context } from 'koa';
import { idParams, pageOf } from '../contract/common';
import { shortListQuery, shortPage } from '../contract/short-list';
import { AppError, orNotFound } from '../contract/errors';
import { limits } from '../contract/limits';
import { roleScopes } from '../contract/scopes';
import type { Core } from '../core';
import { withTransaction } from '../db/pool';
import { createFailureLimit } from '../http/failure-limit';
import { admit, countOrRefuse, type Authenticate } from '../http/guard';
import type { CountRequest } from '../http/project-limit';
import { authenticatedErrors, routesOf } from '../http/route';
import { isoTime } from '../lib/iso-time';
import { sha256 } from '../lib/tokens';
import {
  dashboardSessionSchema,
  ownedProjectSchema,
  ownNotifySchema,
  ownProjectSchema,
  signInRecordSchema,
  signInSchema,
  switchProjectSchema,
  type DashboardSession,
  type KeyedProject,
  type SignInRecord,
} from './contract';
import {
  notInTeam,
  requireSameOrigin,
  requireShownProject,
  sessionHash,
  signedOut,
  signIn,
  signOut,
} from './dashboard-session';
import { createOwnProject } from './own-projects';
import { insertAuditEntry } from './queries/audit';
import { listAccountProjects, setOwnNotify, viewAccount } from './queries/account-projects';
import {
  findAccountSession,
  listDashboardSessions,
  removeOwnDashboardSession,
  setSessionProject,
  type AccountSession,
  type DashboardSessionRow,
} from './queries/dashboard-sessions';
import { findProjectByKey } from './queries/keys';

const route = routesOf('Dashboard');
const path = '/dashboard/session';

type Deps = Pick<Core, 'pool' | 'config' | 'publicUrl' | 'temporalUiUrl' | 'log'> & {
  authenticate: Authenticate;
  countRequest: CountRequest;
};

/** Signing in to the dashboard, whose pages then call the API with the session cookie instead of a key. */
export function createDashboardRoutes(core: Deps) {
  const { pool, config, publicUrl, temporalUiUrl, authenticate, countRequest } = core;
  const recordFailure = createFailureLimit(
    pool,
    'sign_in',
    limits.dashboardSignInFailures.max,
    limits.dashboardSignInFailures.minutes * 60,
  );
  const workflowsUrl =
    temporalUiUrl && `${temporalUiUrl}/namespaces/${encodeURIComponent(config.TEMPORAL_NAMESPACE)}`;
  /** Its workflows are those of all projects, so its links are for operators. */
  const installation = (isOperator: boolean) => ({
    open_signup: config.HERALD_OPEN_SIGNUP,
    temporal_ui_url: isOperator || config.development ? workflowsUrl : null,
  });

  const presentKey = (project: KeyedProject): DashboardSession => ({
    project_id: project.id,
    key_id: project.key_id,
    account: null,
    role: null,
    notify: null,
    scopes: [...project.scopes],
    projects: [{ project_id: project.id, slug: project.slug, name: project.name, role: null }],
    ...installation(false),
  });

  /** The current project of an account is one of its projects, as long as it has any. */
  async function presentAccount(session: AccountSession, hash: Buffer): Promise<DashboardSession> {
    const [found, projects] = await Promise.all([
      viewAccount(pool, session.account_id),
      listAccountProjects(pool, session.account_id),
    ]);
    if (!found) throw signedOut();
    const { platform_user_id: userId, ...account } = found;
    const current = projects.find(({ project_id }) => project_id === session.project_id) ?? projects[0];
    const projectId = current?.project_id ?? null;
    if (projectId !== session.project_id) await setSessionProject(pool, hash, projectId);
    return {
      project_id: projectId,
      key_id: null,
      account,
      role: current?.role ?? null,
      notify: current?.notify ?? null,
      scopes: current ? [...roleScopes[current.role]] : [],
      projects: projects.map(({ project_id, slug, name, role }) => ({ project_id, slug, name, role })),
      ...installation(config.HERALD_OPERATORS.includes(`${account.channel}:${userId}`)),
    };
  }

  /** Counts a request of an account, which may be in no team. Null for a key, directly or by its session: see `admitKey`. */
  async function admitAccount(ctx: Context): Promise<{ hash: Buffer; session: AccountSession } | null> {
    const hash = sessionHash(ctx, publicUrl());
    if (!hash) return null;
    requireSameOrigin(ctx, publicUrl());
    const session = await findAccountSession(pool, hash);
    if (!session) return null;
    const dashboard_session = hash.toString('base64url');
    await countOrRefuse(ctx, countRequest, { id: '', requests_per_minute: null, dashboard_session });
    return { hash, session };
  }

  const admitKey = (ctx: Context) => admit(ctx, { authenticate, countRequest });

  /** Whose sign-ins a request is about: an account, which may be in no team, or a key. */
  async function signedInOwner(ctx: Context) {
    const account = await admitAccount(ctx);
    if (!account) return admitKey(ctx);
    const { hash, session } = account;
    return { key_id: null, account_id: session.account_id, dashboard_session: hash.toString('base64url') };
  }

  /** `refusal` is for an API key, directly or by its session. */
  async function requireAccount(ctx: Context, refusal: string) {
    const account = await admitAccount(ctx);
    if (account) return account;
    await admitKey(ctx);
    throw new AppError('forbidden', refusal);
  }

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
        return presentKey(project);
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
        const account = await admitAccount(ctx);
        return account ? presentAccount(account.session, account.hash) : presentKey(await admitKey(ctx));
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
        const account = await admitAccount(ctx);
        if (!account) {
          const project = await admitKey(ctx);
          if (project.id !== body.project_id) throw new AppError('not_found');
          return presentKey(project);
        }
        const { hash, session } = account;
        const projects = await listAccountProjects(pool, session.account_id);
        if (!projects.some(({ project_id }) => project_id === body.project_id)) {
          throw new AppError('not_found');
        }
        await setSessionProject(pool, hash, body.project_id);
        return presentAccount({ ...session, project_id: body.project_id }, hash);
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
        return presentAccount(session, hash);
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
        const owner = await signedInOwner(ctx);
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
        const owner = await signedInOwner(ctx);
        orNotFound(await removeOwnDashboardSession(pool, owner, params.id));
      },
    ),
    route(
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
        const { session } = await requireAccount(ctx, refusal);
        if (!isOpen) throw new AppError('forbidden', refusal);
        return withTransaction(pool, (db) =>
          createOwnProject(db, { accountId: session.account_id, ip: ctx.ip }, body),
        );
      },
    ),
  ];
}

function presentSession(session: DashboardSessionRow, current: string | undefined): SignInRecord {
  return {
    session_id: session.id,
    current: session.hash.toString('base64url') === current,
    ip: session.ip,
    user_agent: session.user_agent,
    created_at: isoTime(session.created_at),
    last_seen_at: isoTime(session.last_seen_at),
    expires_at: isoTime(session.expires_at),
  };
}
