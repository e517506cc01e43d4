/** What the dashboard's own pages send with each request. */
export const ownPage = { 'sec-fetch-site': 'same-origin' };
