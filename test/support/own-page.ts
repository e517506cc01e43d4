/** What the dashboard's own pages send with each request. */
export const ownPage = { 'x-herald-dashboard': '1', 'sec-fetch-site': 'same-origin' };
