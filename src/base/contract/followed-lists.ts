/** Lists of a project that open pages follow: the stream of the API says when one has changed. */
export const followedLists = ['deliveries', 'logins', 'tickets'] as const;
export type FollowedList = (typeof followedLists)[number];
