const escape = (text) => String(text).replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

function document(title, content, script = '') {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
<link rel="stylesheet" href="/site.css">
<main>${content}</main>
${script && `<script src="${script}"></script>`}
</html>`;
}

export function homePage(user, links) {
  if (user) {
    return document(
      'Example site',
      `<h1>Hello, ${escape(user.first_name)}</h1>
<p>You logged in with ${escape(user.channel)}. Your subscriber ID is <code>${escape(user.subscriber_id)}</code>.</p>
<form method="post" action="/logout"><button>Log out</button></form>`,
    );
  }
  const link = (address, name) => (address ? `<a class="button" href="${escape(address)}">${name}</a> ` : '');
  return document(
    'Example site',
    `<h1>Example site</h1>
<p>Three ways to log in:</p>
<h2>Session</h2>
<p><a class="button" href="/login">Log in with a messenger</a></p>
<h2>QR code</h2>
<p><a class="button" href="/login/qr">Show QR code</a></p>
<h2>Static link</h2>
<p>${link(links.telegram_link, 'Telegram')}${link(links.max_link, 'MAX')}</p>`,
  );
}

export function qrPage(session) {
  const picture = (channel) =>
    `<img src="${escape(session.qr_url)}?channel=${channel}" alt="QR code for ${channel}" width="220" height="220">`;
  return document(
    'Scan to log in',
    `<h1>Scan to log in</h1>
<p>Login code: <strong id="match">${escape(session.match_code)}</strong></p>
<p>${picture('telegram')} ${picture('max')}</p>
<p id="status" role="status">Waiting for your answer…</p>`,
    '/qr.js',
  );
}

/** A static link has no state, so the site asks first: a link from an attacker must not log a visitor in. */
export function confirmPage(code) {
  return document(
    'Log in?',
    `<h1>Log in here?</h1>
<p>You confirmed a login in the messenger. Continue only if it was you.</p>
<form method="post" action="/callback"><input type="hidden" name="code" value="${escape(code)}"><button>Continue</button></form>`,
  );
}

export function messagePage(title, text) {
  return document(title, `<h1>${escape(title)}</h1><p>${escape(text)}</p><p><a href="/">Back</a></p>`);
}

export const styles = `
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 40rem; margin: 0 auto; padding: 2rem 1rem; }
.button, button { display: inline-block; padding: .6rem 1rem; border: 0; border-radius: 8px; background: #2457d6; color: #fff; font: inherit; text-decoration: none; cursor: pointer; }
img { background: #fff; padding: 4px; }
`;

/** Polls the site's backend, which polls Herald: the API key never reaches the browser. */
export const qrScript = `
const status = document.querySelector('#status');
async function watch() {
  for (;;) {
    const startedAt = Date.now();
    const response = await fetch('/login/qr/status').catch(() => null);
    const login = response && response.ok ? await response.json() : { status: 'pending' };
    if (login.status === 'logged_in') return location.assign('/');
    if (login.status !== 'pending') { status.textContent = 'Login ' + login.status + '. Reload the page to start again.'; return; }
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 2000 - (Date.now() - startedAt))));
  }
}
watch();
`;
