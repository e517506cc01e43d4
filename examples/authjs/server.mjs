import { ExpressAuth, getSession } from '@auth/express';
import express from 'express';

/*
 * A site with Auth.js that logs people in with Herald: an issuer, a client id and a secret are all it knows about it.
 */
const { HERALD_ISSUER, HERALD_CLIENT_ID, HERALD_CLIENT_SECRET, AUTH_SECRET } = process.env;
for (const [name, value] of Object.entries({
  HERALD_ISSUER,
  HERALD_CLIENT_ID,
  HERALD_CLIENT_SECRET,
  AUTH_SECRET,
})) {
  if (!value) throw new Error(`${name} is missing, see README.md`);
}

const authConfig = {
  basePath: '/auth',
  trustHost: true,
  secret: AUTH_SECRET,
  providers: [
    {
      id: 'herald',
      name: 'Telegram or MAX',
      type: 'oidc',
      issuer: HERALD_ISSUER,
      clientId: HERALD_CLIENT_ID,
      clientSecret: HERALD_CLIENT_SECRET,
      checks: ['pkce', 'state', 'nonce'],
    },
  ],
  callbacks: {
    // Without a database Auth.js makes up an id at each login. The subscriber's id stays the same.
    jwt: ({ token, account }) => (account ? { ...token, sub: account.providerAccountId } : token),
    session: ({ session, token }) => ({ ...session, user: { ...session.user, id: token.sub } }),
  },
};

const app = express();
app.use('/auth', ExpressAuth(authConfig));

app.get('/', async (request, response) => {
  const session = await getSession(request, authConfig);
  response.send(page(session?.user));
});

/** Auth.js escapes nothing for us here. */
const escape = (text) => String(text).replaceAll(/[&<>"']/g, (char) => `&#${char.codePointAt(0)};`);

function page(user) {
  const content = user
    ? `<h1>Hello, ${escape(user.name)}</h1><p>Your id: <code>${escape(user.id)}</code></p><p><a href="/auth/signout">Log out</a></p>`
    : '<h1>Auth.js site</h1><p><a href="/auth/signin">Log in</a></p>';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Auth.js site</title></head><body><main>${content}</main></body></html>`;
}

const server = app.listen(Number(process.env.PORT ?? 4100), 'localhost', () => {
  console.log(`The site is at http://localhost:${server.address().port}`);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close(() => process.exit()));
