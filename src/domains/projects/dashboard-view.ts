import { roleScopes } from '../../base/contract/scopes';
import type { Core } from '../../base/core';
import type { Caller } from '../../base/http/route';
import { isoTime } from '../../base/lib/iso-time';
import type { DashboardSession, SignInRecord } from './contract';
import { signedOut } from './dashboard-session';
import { listAccountProjects, viewAccount } from './queries/account-projects';
import {
  setSessionProject,
  type AccountSession,
  type DashboardSessionRow,
} from './queries/dashboard-sessions';

type Deps = Pick<Core, 'pool' | 'config' | 'temporalUiUrl'>;

/** What a page shows to a caller that has signed in with a key. */
export function presentKey(deps: Deps, project: Caller): DashboardSession {
  return {
    project_id: project.id,
    key_id: project.key_id,
    account: null,
    role: null,
    notify: null,
    scopes: [...project.scopes],
    projects: [{ project_id: project.id, slug: project.slug, name: project.name, role: null }],
    ...installation(deps, false),
  };
}

/** The current project of an account is one of its projects, as long as it has any. */
export async function presentAccount(
  deps: Deps,
  session: AccountSession,
  hash: Buffer,
): Promise<DashboardSession> {
  const { pool, config } = deps;
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
    ...installation(deps, config.HERALD_OPERATORS.includes(`${account.channel}:${userId}`)),
  };
}

/** Its workflows are those of all projects, so its links are for operators. */
function installation({ config, temporalUiUrl }: Deps, isOperator: boolean) {
  const workflowsUrl =
    temporalUiUrl && `${temporalUiUrl}/namespaces/${encodeURIComponent(config.TEMPORAL_NAMESPACE)}`;
  return {
    open_signup: config.HERALD_OPEN_SIGNUP,
    temporal_ui_url: isOperator || config.development ? workflowsUrl : null,
  };
}

export function presentSession(session: DashboardSessionRow, current: string | undefined): SignInRecord {
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
