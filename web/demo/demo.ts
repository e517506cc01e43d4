import './demo.css';
import { t } from './texts';

/** Scripts of the demo site: polling on the QR and payment pages, and the events of the embedded button. */
const status = document.querySelector<HTMLElement>('#qr-status');
if (status?.dataset['session']) void watch(status, status.dataset['session']);

async function watch(element: HTMLElement, session: string): Promise<void> {
  for (;;) {
    const startedAt = Date.now();
    const polled = await poll(session);
    if (polled.status === 'confirmed' && polled.redirect_url) return location.assign(polled.redirect_url);
    if (polled.status === 'declined') return say(element, t.declined);
    if (polled.status === 'expired' || polled.status === 'consumed') {
      return say(element, t.ended);
    }
    // Poll every 2 seconds; after a long poll the next one may start immediately.
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 2_000 - (Date.now() - startedAt))));
  }
}

const payment = document.querySelector<HTMLElement>('#payment-status');
if (payment?.dataset['request']) void watchPayment(payment, payment.dataset['request']);

async function watchPayment(element: HTMLElement, request: string): Promise<void> {
  for (;;) {
    const startedAt = Date.now();
    const { status } = await fetch(`/demo/payment/status?id=${request}`)
      .then((response) => response.json() as Promise<{ status: string }>)
      .catch(() => ({ status: 'pending' }));
    const outcome = t.paymentOutcomes[status];
    if (outcome !== undefined) return say(element, outcome);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 2_000 - (Date.now() - startedAt))));
  }
}

async function poll(session: string): Promise<{ status: string; redirect_url?: string | null }> {
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
  if (result) say(result, t.received(code.length));
  void exchange(code).then((done) => {
    if (result) say(result, done ? t.exchanged : t.refused);
  });
});

document.addEventListener('herald:error', (event) => {
  const result = document.querySelector<HTMLElement>('#embed-result');
  if (result) say(result, (event as CustomEvent<Error>).detail.message);
});

/** Shows the response of the exchange. Returns whether it succeeded. */
async function exchange(code: string): Promise<boolean> {
  const response = await fetch('/demo/verify', {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({ code }),
  });
  const received = (await response.json()) as { error?: string };
  const element = document.querySelector<HTMLElement>('#embed-user');
  if (element) {
    element.textContent = JSON.stringify(received, null, 2);
    element.hidden = false;
  }
  return received.error === undefined;
}

function say(element: HTMLElement, text: string): void {
  element.textContent = text;
}
