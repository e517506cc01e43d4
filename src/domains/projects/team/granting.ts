import { AppError } from '../../../base/contract/errors';
import { roleScopes, type Role, type Scope } from '../../../base/contract/scopes';

/** Who invites, changes or removes members: a member, an API key, or the operator's command line. */
export interface Granter {
  role: Role | null;
  scopes: readonly Scope[];
  member_id: string | null;
  key_id: string | null;
}

/** The operator stands above all owners. */
export const operator: Granter = {
  role: 'owner',
  scopes: roleScopes.owner,
  member_id: null,
  key_id: null,
};

type Powers = Pick<Granter, 'role' | 'scopes'>;

export function mayGrant({ role: own, scopes }: Powers, role: Role): boolean {
  if (role === 'owner') return own === 'owner';
  return roleScopes[role].every((scope) => scopes.includes(scope));
}

/** Inviting needs the scope of the route besides those of the role. */
export function mayInvite(granter: Powers, role: Role): boolean {
  return granter.scopes.includes('admin') && mayGrant(granter, role);
}

/** A role is never given or taken by a caller who lacks one of its scopes; owners are made and removed by owners only. */
export function requireGrant(granter: Powers, role: Role): void {
  if (mayGrant(granter, role)) return;
  throw new AppError(
    'forbidden',
    role === 'owner' ? 'Only an owner can do this.' : `You lack a scope of the role "${role}".`,
  );
}
