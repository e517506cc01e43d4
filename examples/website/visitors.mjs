import { randomBytes } from 'node:crypto';

const COOKIE = 'site_session';

/** Sessions of the site's own, in memory. A real site keeps them in its database. */
export function createVisitors() {
  const visitors = new Map();

  /** The visitor behind the cookie, or a new one. */
  function visitorOf(req, res) {
    const cookie = new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(req.headers.cookie ?? '');
    const known = cookie && visitors.get(cookie[1]);
    return known ?? renew(res, {});
  }

  /** A fresh id with the same content: after a login the old id, which others may know, is worth nothing. */
  function renew(res, visitor) {
    if (visitor.id) visitors.delete(visitor.id);
    const next = { ...visitor, id: randomBytes(24).toString('base64url') };
    visitors.set(next.id, next);
    // Lax, because the person comes back from Herald's page. Add Secure where the site is on https.
    res.setHeader('set-cookie', `${COOKIE}=${next.id}; HttpOnly; SameSite=Lax; Path=/`);
    return next;
  }

  function forget(visitor) {
    visitors.delete(visitor.id);
  }

  return { visitorOf, renew, forget };
}
