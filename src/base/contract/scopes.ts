/** What an API key or a member may do. The guard, the API description, the docs and the dashboard read these tables. */
export const scopes = ['read', 'send', 'auth', 'helpdesk', 'export', 'admin', 'manage', 'publish'] as const;
export type Scope = (typeof scopes)[number];

/** `publish` is for other parts of the platform; only the operator's CLI grants it. A key has all others by default. */
export const defaultScopes: readonly Scope[] = scopes.filter((scope) => scope !== 'publish');

export const scopeTexts: Readonly<Record<Scope, string>> = {
  read: 'Read everything except login codes, exports, keys, members and the audit log',
  send: 'Send messages, batches, one-time codes and broadcasts; scheduled and recurring messages, events, enrolments',
  auth: 'Create sessions and approvals, read their status and redeem codes',
  helpdesk: 'Work with tickets',
  export: 'Export data and read everything held about a subscriber',
  admin: 'Manage API keys, members and invitations; read the audit log',
  manage: 'Change everything else',
  publish: 'Publish events of other parts of the platform; granted by the operator only',
};

/** Highest first. Owners and admins have the same scopes; only owners make, change and remove owners. */
export const roles = ['owner', 'admin', 'support', 'viewer'] as const;
export type Role = (typeof roles)[number];

export const roleScopes: Readonly<Record<Role, readonly Scope[]>> = {
  owner: defaultScopes,
  admin: defaultScopes,
  support: ['read', 'helpdesk'],
  viewer: ['read'],
};

/** The higher of two roles. */
export function higherRole(one: Role, other: Role): Role {
  return roles.indexOf(one) <= roles.indexOf(other) ? one : other;
}
