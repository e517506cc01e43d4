import type { Scope } from '../../src/base/contract/scopes';

let granted: readonly Scope[] = [];

/** Called with each session, before the pages are rendered. */
export function setAccess(scopes: readonly Scope[]): void {
  granted = scopes;
}

/** Whether the person may do this in the current project; what they may not do is not shown. */
export function can(scope: Scope): boolean {
  return granted.includes(scope);
}
