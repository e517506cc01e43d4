/* In the browser. It polls the site's backend, which polls Herald: the API key never reaches the browser. */
const status = document.querySelector('[data-poll]');
if (status) void watch(status);

async function watch(element) {
  for (;;) {
    const startedAt = Date.now();
    const response = await fetch(element.dataset.poll).catch(() => null);
    const polled = response?.ok ? await response.json() : { status: 'pending' };
    if (polled.status === 'logged_in') return location.assign('/');
    if (polled.status !== 'pending') {
      element.textContent = element.dataset[polled.status] ?? element.dataset.ended;
      return;
    }
    // Every 2 seconds at most; after a long poll the next one may start at once.
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 2000 - (Date.now() - startedAt))));
  }
}

const result = document.querySelector('#embed-result');

document.addEventListener('herald:login', async ({ detail }) => {
  result.textContent = result.dataset.received.replace('{length}', detail.code.length);
  const body = new URLSearchParams({ code: detail.code, state: detail.state ?? '' });
  const response = await fetch('/embed/verify', { method: 'POST', body });
  const shown = document.querySelector('#embed-user');
  shown.textContent = JSON.stringify(await response.json(), null, 2);
  shown.hidden = false;
  result.textContent = response.ok ? result.dataset.exchanged : result.dataset.refused;
});

document.addEventListener('herald:error', ({ detail }) => (result.textContent = detail.message));
