import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { pagesIn } from './pages.mjs';
import { tell, told } from './story.mjs';
import { languageOf, texts } from './texts.mjs';
import { createVisitors } from './visitors.mjs';

/** Something that the visitor is told. */
class Refused extends Error {}

/** How many redirect URLs a project can have. */
const MAX_REDIRECT_URLS = 20;

/**
 * A site that logs users in with Herald by each flow, and asks them to confirm a payment. `herald` is the client of the SDK,
 * `heraldUrl` the address of the service for the visitors' browsers, `workflowsUrl` that of its namespace in the Temporal
 * UI, if visitors may see it, `killedUrl` the URL of an earlier run that was killed. `npm start` of the checkout runs it too.
 */
export async function startSite({
  herald,
  heraldUrl,
  workflowsUrl = null,
  killedUrl = null,
  port,
  onError = console.error,
}) {
  const { visitorOf, renew, forget } = createVisitors();
  let url = '';

  const routes = {
    'GET /': async ({ res, visitor, pages }) => {
      send(res, visitor.user ? pages.userPage(visitor) : pages.loginPage(await herald.auth.getLinks()));
    },
    'GET /site.css': async ({ res }) => send(res, await fileOf('site.css'), 'text/css'),
    'GET /site.js': async ({ res }) => send(res, await fileOf('site.js'), 'text/javascript'),

    // Flow 1: a session with Herald's hosted page.
    'GET /login': async ({ req, res, visitor }) => redirect(res, (await beginLogin(req, visitor)).hosted_url),

    // Flow 2: the site shows the QR code and polls the status.
    'GET /login/qr': async ({ req, res, visitor, pages }) =>
      send(res, pages.qrPage(await beginLogin(req, visitor))),
    'GET /login/qr/status': async ({ res, visitor, t }) => {
      if (!visitor.login) return json(res, { status: visitor.user ? 'logged_in' : 'expired' });
      const session = await herald.auth.getSessionStatus(visitor.login.sessionId, { wait: 20 });
      if (session.status !== 'confirmed') return json(res, { status: session.status });
      await endLogin(res, visitor, session, t);
      json(res, { status: 'logged_in' });
    },

    // The callback URL. With a state it is flow 1; without one it is flow 3, the static link.
    'GET /callback': async ({ res, visitor, query, pages, t }) => {
      if (query.has('error')) return send(res, pages.refusedPage(query.get('error')));
      const [code, state] = [query.get('code'), query.get('state')];
      if (!code) return send(res, pages.messagePage(t.notLoggedIn, t.withoutCode));
      if (state === null) return send(res, pages.confirmPage(code));
      // The page with the QR code has redeemed the code, while the hosted page was open in another tab.
      if (visitor.user && visitor.state === state) return redirect(res, '/');
      // A code that this browser did not request is only shown: it could be an attacker's (login CSRF).
      if (visitor.login?.state !== state) return send(res, pages.codePage(code, state));
      await endLogin(res, visitor, { code, state }, t);
      redirect(res, '/');
    },
    'POST /callback': async ({ req, res, visitor }) => {
      const code = (await formOf(req)).get('code') ?? '';
      const user = await verify(visitor, { code });
      renew(res, { ...visitor, user, code, state: null });
      redirect(res, '/');
    },

    // The embeddable button: Herald's script opens a window, and the page gets the code.
    'GET /embed': async ({ res, pages }) => send(res, pages.embedPage()),
    'POST /embed/session': async ({ req, res, visitor }) => {
      const { hosted_url } = await beginLogin(req, visitor);
      json(res, { hosted_url });
    },
    'POST /embed/verify': async ({ req, res, visitor, t }) => {
      const form = await formOf(req);
      json(res, await endLogin(res, visitor, { code: form.get('code'), state: form.get('state') }, t));
    },

    // Step-up: a logged-in user confirms a payment in the messenger.
    'POST /payment': async ({ req, res, visitor, pages, t }) => {
      if (!visitor.user) return send(res, pages.messagePage(t.loginFirst, t.loginFirstText));
      const { subscriber_id } = visitor.user;
      const request = await told(visitor, 'POST /v1/auth/requests', 201, () =>
        herald.auth.createRequest({ subscriber_id, message: t.paymentMessage, ...aboutBrowser(req) }),
      );
      visitor.paymentId = request.request_id;
      visitor.sessionId = request.request_id;
      send(res, pages.paymentPage(request));
    },
    'GET /payment/status': async ({ res, visitor }) => {
      if (!visitor.paymentId) return json(res, { status: 'expired' });
      const { status } = await herald.auth.getRequest(visitor.paymentId, { wait: 20 });
      if (status === 'approved' || status === 'declined') tell(visitor, 'event', `auth.${status}`);
      json(res, { status });
    },

    'POST /logout': async ({ res, visitor }) => {
      forget(visitor);
      redirect(res, '/');
    },
  };

  /** Creates a session and stores its state and verifier with the visitor. */
  async function beginLogin(req, visitor) {
    const state = randomBytes(16).toString('hex');
    const verifier = randomBytes(32).toString('base64url');
    const session = await told(visitor, 'POST /v1/auth/session', 201, () =>
      herald.auth.createSession({
        state,
        redirect_uri: `${url}/callback`,
        ...aboutBrowser(req),
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }),
    );
    visitor.sessionId = session.session_id;
    visitor.login = { state, verifier, sessionId: session.session_id };
    return session;
  }

  /** Checks the state first: a code requested by another browser is not redeemed. */
  async function endLogin(res, visitor, { code, state }, t) {
    const { login } = visitor;
    if (!login || login.state !== state) throw new Refused(t.otherBrowser);
    visitor.login = undefined;
    const user = await verify(visitor, { code, code_verifier: login.verifier });
    renew(res, { ...visitor, user, code, state });
    return user;
  }

  /** Exchanges the code for the user. By then Herald has sent the event to the project's endpoints. */
  async function verify(visitor, given) {
    return told(visitor, 'POST /v1/auth/verify', 200, async () => {
      const user = await herald.auth.verify(given);
      // A code that is accepted was given out by a login.
      tell(visitor, 'event', 'auth.completed');
      return user;
    });
  }

  const server = http.createServer((req, res) => {
    // `GET //` is valid HTTP but no URL; an exception here would end the process, which may be Herald's.
    if (!URL.canParse(req.url, url)) return res.writeHead(400).end();
    const { pathname, searchParams: query } = new URL(req.url, url);
    // Cookies are bound to a host name: localhost and 127.0.0.1 differ.
    if (req.method === 'GET' && req.headers.host !== new URL(url).host) return redirect(res, url + req.url);
    const language = languageOf(req, res, query);
    const t = texts[language];
    const visitor = visitorOf(req, res);
    const pages = pagesIn(language, { heraldUrl, workflowsUrl, visitor });
    const handle = routes[`${req.method} ${pathname}`];
    // Browsers of today forbid everything else on these pages.
    res.setHeader(
      'content-security-policy',
      `default-src 'self'; script-src 'self' ${heraldUrl}; img-src 'self' data: ${heraldUrl}; frame-ancestors 'none'; base-uri 'none'`,
    );
    if (!handle) {
      res.statusCode = 404;
      return send(res, pages.messagePage(t.notFound, t.notFoundText));
    }
    answer().catch((error) => {
      // Show errors of Herald (a used code, too many sessions…) to the visitor; report anything else.
      const known = error instanceof Refused || error.code;
      if (!known) onError(error);
      res.statusCode = known ? 400 : 500;
      const message = known ? error.message : t.tryAgain;
      if (pathname.startsWith('/embed/')) return json(res, { error: message });
      send(res, pages.messagePage(t.failed, message));
    });

    async function answer() {
      // Browsers name the origin that a form was sent from.
      const site = req.headers['sec-fetch-site'];
      if (req.method === 'POST' && site && site !== 'same-origin') throw new Refused(t.otherSite);
      await handle({ req, res, query, visitor, pages, t });
    }
  });

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.on('error', onError);
  url = `http://127.0.0.1:${server.address().port}`;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  try {
    const restore = await allowSite(herald, url, killedUrl);
    return {
      url,
      async stop() {
        close();
        await restore();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

/**
 * Makes the site the project's callback URL, which the static link needs. The old one remains allowed as a redirect URL
 * while the site runs. Returns a function that restores it.
 */
async function allowSite(herald, url, killedUrl) {
  const project = await herald.project.get();
  const callback = `${url}/callback`;
  // Left by the killed run. Kept, such URLs would add up to the limit, each with another port.
  const isLeft = (each) => killedUrl !== null && each === `${killedUrl}/callback`;
  const old = isLeft(project.callback_url) ? null : project.callback_url;
  const redirect_urls = project.redirect_urls.filter((each) => !isLeft(each));
  const isAdded =
    old !== null &&
    old !== callback &&
    !redirect_urls.includes(old) &&
    redirect_urls.length < MAX_REDIRECT_URLS;
  await herald.project.update({
    callback_url: callback,
    redirect_urls: isAdded ? [...redirect_urls, old] : redirect_urls,
  });
  return async () => {
    const options = { maxRetries: 0, timeoutMs: 2_000 };
    const now = await herald.project.get(options);
    // If the project has changed its callback URL in the meantime, the change stays.
    if (now.callback_url !== callback) return;
    const others = now.redirect_urls.filter((each) => !isAdded || each !== old);
    await herald.project.update({ callback_url: old, redirect_urls: others }, options);
  };
}

function aboutBrowser(req) {
  return {
    client_ip: req.socket.remoteAddress.replace(/^::ffff:/, ''),
    user_agent: (req.headers['user-agent'] ?? 'unknown').slice(0, 200),
  };
}

async function formOf(req) {
  return new URLSearchParams(await text(req));
}

function fileOf(name) {
  return readFile(new URL(name, import.meta.url), 'utf8');
}

function send(res, body, type = 'text/html') {
  res.setHeader('content-type', `${type}; charset=utf-8`);
  res.setHeader('cache-control', 'no-store');
  res.setHeader('referrer-policy', 'no-referrer');
  res.end(body);
}

function json(res, body) {
  send(res, JSON.stringify(body), 'application/json');
}

function redirect(res, target) {
  res.writeHead(303, { location: target });
  res.end();
}
