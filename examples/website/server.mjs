/*
 * A small site that logs users in with Herald by each of the three flows:
 *
 *   npm start                                           (in one terminal, in the checkout)
 *   cd examples/website && npm install && npm start     (in another)
 */
import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { createHerald } from './herald.mjs';
import { confirmPage, homePage, messagePage, qrPage, qrScript, styles } from './pages.mjs';
import { createVisitors } from './visitors.mjs';

const port = Number(process.env.PORT ?? 4000);
const { visitorOf, renew, forget } = createVisitors();
let herald;
let origin;

const routes = {
  'GET /': async (req, res) => {
    const { user } = visitorOf(req, res);
    send(res, homePage(user, user ? {} : await herald.auth.getLinks()));
  },
  'GET /site.css': async (_req, res) => send(res, styles, 'text/css'),
  'GET /qr.js': async (_req, res) => send(res, qrScript, 'text/javascript'),

  // Flow 1: a session with Herald's hosted page.
  'GET /login': async (req, res) => {
    const session = await beginLogin(req, visitorOf(req, res));
    redirect(res, session.hosted_url);
  },

  // Flow 2: the site shows the QR code and polls the status.
  'GET /login/qr': async (req, res) => send(res, qrPage(await beginLogin(req, visitorOf(req, res)))),
  'GET /login/qr/status': async (req, res) => {
    const visitor = visitorOf(req, res);
    if (!visitor.login) return json(res, { status: visitor.user ? 'logged_in' : 'expired' });
    const session = await herald.auth.getSessionStatus(visitor.login.sessionId, { wait: 20 });
    if (session.status !== 'confirmed') return json(res, { status: session.status });
    await endLogin(res, visitor, session.code, session.state);
    json(res, { status: 'logged_in' });
  },

  // The callback URL. With a state it is flow 1; without one it is flow 3, the static link.
  'GET /callback': async (req, res, query) => {
    const code = query.get('code') ?? '';
    if (query.get('state') === null) return send(res, confirmPage(code));
    await endLogin(res, visitorOf(req, res), code, query.get('state'));
    redirect(res, '/');
  },
  'POST /callback': async (req, res) => {
    requireOwnForm(req);
    const code = new URLSearchParams(await text(req)).get('code') ?? '';
    const visitor = visitorOf(req, res);
    renew(res, { id: visitor.id, user: await herald.auth.verify({ code }) });
    redirect(res, '/');
  },

  'POST /logout': async (req, res) => {
    requireOwnForm(req);
    forget(visitorOf(req, res));
    redirect(res, '/');
  },
};

/** Creates a session and stores its state and verifier with the visitor. */
async function beginLogin(req, visitor) {
  const state = randomBytes(16).toString('hex');
  const verifier = randomBytes(32).toString('base64url');
  const session = await herald.auth.createSession({
    state,
    redirect_uri: `${origin}/callback`,
    client_ip: req.socket.remoteAddress.replace(/^::ffff:/, ''),
    user_agent: (req.headers['user-agent'] ?? 'unknown').slice(0, 200),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  visitor.login = { state, verifier, sessionId: session.session_id };
  return session;
}

/** Checks the state first: a code requested by another browser is not redeemed. */
async function endLogin(res, visitor, code, state) {
  const { login } = visitor;
  if (!login || login.state !== state) throw new Refused('This login was not started in this browser.');
  visitor.login = undefined;
  renew(res, { id: visitor.id, user: await herald.auth.verify({ code, code_verifier: login.verifier }) });
}

class Refused extends Error {}

/** Browsers name the origin that a form was sent from. */
function requireOwnForm(req) {
  const site = req.headers['sec-fetch-site'];
  if (site && site !== 'same-origin') throw new Refused('This form belongs to another site.');
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

const server = http.createServer((req, res) => {
  const url = new URL(req.url, 'http://site');
  const handle = routes[`${req.method} ${url.pathname}`];
  if (!handle) {
    res.statusCode = 404;
    return send(res, messagePage('Not found', 'This page does not exist.'));
  }
  handle(req, res, url.searchParams).catch((error) => {
    // Show errors of Herald (a used code, too many sessions…) to the visitor; log anything else.
    const known = error instanceof Refused || error.code;
    if (!known) console.error(error);
    res.statusCode = known ? 400 : 500;
    send(res, messagePage('Something went wrong', known ? error.message : 'Please try again.'));
  });
});

/** Adds this site to the project's redirect URLs. Returns a function that restores the old settings. */
async function allowThisSite() {
  const before = await herald.project.get();
  const callback = `${origin}/callback`;
  const others = [...before.redirect_urls, before.callback_url].filter((url) => url && url !== callback);
  await herald.project.update({ callback_url: callback, redirect_urls: [...new Set(others)] });
  return () =>
    herald.project.update({ callback_url: before.callback_url, redirect_urls: before.redirect_urls });
}

try {
  herald = createHerald();
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
  const restore = await allowThisSite();
  console.log(`The example site runs at ${origin}`);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      void restore().finally(() => process.exit(0));
    });
  }
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
