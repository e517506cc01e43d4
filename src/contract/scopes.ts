/** What an API key may do. A key has all of them but `publish`, unless it was created with fewer. */
export const scopes = ['read', 'send', 'auth', 'helpdesk', 'export', 'admin', 'manage', 'publish'] as const;
export type Scope = (typeof scopes)[number];

/** `publish` is for other parts of the platform; only the operator's CLI grants it. */
export const defaultScopes: readonly Scope[] = scopes.filter((scope) => scope !== 'publish');
