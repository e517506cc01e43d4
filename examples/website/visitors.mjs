import { randomBytes } from 'node:crypto';

const COOKIE = 'site_session';

/** The site's own sessions, in memory. A real site stores them in its database. */
export function createVisitors() {
  const visitors = new Map();

  /** The visitor behind the cookie, or a new one. */
  function visitorOf(req, res) {
    const cookie = new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(req.headers.cookie ?? '');
    const known = cookie && visitors.get(cookie[1]);
    return known ?? renew(res, {});
  }

  /** Replaces the id after a login, so that an id an attacker knows stops working (session fixation). */
  function renew(res, visitor) {
    if (visitor.id) visitors.delete(visitor.id);
    const next = { ...visitor, id: randomBytes(24).toString('base64url') };
    visitors.set(next.id, next);
    // Lax, because the visitor returns from Herald's page. Add Secure if the site runs on https.
    res.appendHeader('set-cookie', `${COOKIE}=${next.id}; HttpOnly; SameSite=Lax; Path=/`);
    return next;
  }

  function forget(visitor) {
    visitors.delete(visitor.id);
  }

  return { visitorOf, renew, forget };
}
