import './demo.css';

/** The demo project's scripts: polling beside the QR code, and what the embedded button brings. */
const status = document.querySelector<HTMLElement>('#qr-status');
if (status?.dataset['session']) void watch(status, status.dataset['session']);

async function watch(element: HTMLElement, session: string): Promise<void> {
  for (;;) {
    const asked = Date.now();
    const answer = await ask(session);
    if (answer.status === 'confirmed' && answer.redirect_url) return location.assign(answer.redirect_url);
    if (answer.status === 'declined') return say(element, 'You answered No.');
    if (answer.status === 'expired' || answer.status === 'consumed') {
      return say(element, 'This login is over. Reload the page for another one.');
    }
    // A site polls every 2 to 3 seconds; behind a long poll it may ask again at once.
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 2_000 - (Date.now() - asked))));
  }
}

async function ask(session: string): Promise<{ status: string; redirect_url?: string | null }> {
  try {
    const response = await fetch(`/demo/status?id=${session}`);
    return (await response.json()) as { status: string };
  } catch {
    return { status: 'pending' };
  }
}

document.addEventListener('herald:login', (event) => {
  const { code } = (event as CustomEvent<{ code: string }>).detail;
  const result = document.querySelector<HTMLElement>('#embed-result');
  if (result) {
    say(result, `The button brought a code of ${code.length} characters. The backend exchanges it …`);
  }
  void exchange(code);
});

document.addEventListener('herald:error', (event) => {
  const result = document.querySelector<HTMLElement>('#embed-result');
  if (result) say(result, (event as CustomEvent<Error>).detail.message);
});

async function exchange(code: string): Promise<void> {
  const response = await fetch('/demo/verify', {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({ code }),
  });
  const element = document.querySelector<HTMLElement>('#embed-user');
  if (!element) return;
  element.textContent = JSON.stringify(await response.json(), null, 2);
  element.hidden = false;
}

function say(element: HTMLElement, text: string): void {
  element.textContent = text;
}
