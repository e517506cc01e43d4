import path from 'node:path';

/** For each release: the API that its clients know, and a data directory. `npm run release` adds one; none is changed later. */
export const releasesDir = path.join(__dirname, '..', '..', 'released');
