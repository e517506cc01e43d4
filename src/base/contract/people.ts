/** How much of what happens in a project the bot tells a member. */
export const notifyLevels = ['none', 'assigned', 'all'] as const;
export type NotifyLevel = (typeof notifyLevels)[number];

/** Who can change something in a project. */
export const actorTypes = ['member', 'key', 'cli', 'system'] as const;
export type ActorType = (typeof actorTypes)[number];
