import type { SessionStatusBody } from '../../src/domains/login/contract';
import './login.css';

/** Long-polls the status and shows the outcome. The page works without this script. */
const WAIT_SECONDS = 25;
const RETRY_MS = 2_000;
/** Long enough to read the message before the redirect. */
const ONWARD_MS = 700;

/** What the opener of a popup is told. A login that was already used has nothing to report. */
const reports: Record<string, { type: 'herald:declined' | 'herald:expired'; reason: string | null }> = {
  declined: { type: 'herald:declined', reason: 'user' },
  billing: { type: 'herald:declined', reason: 'billing_blocked' },
  expired: { type: 'herald:expired', reason: null },
};

const login = document.querySelector<HTMLElement>('#login');
const help = document.querySelector<HTMLDetailsElement>('.help');
if (help) foldHelp(help);
const tabs = document.querySelector<HTMLElement>('.tabs');
if (tabs) setUpTabs(tabs);
if (isPopup()) fitWindow();
if (login && (login.dataset['state'] === 'pending' || login.dataset['state'] === 'confirmed')) run(login);
else if (login) reportEnd(login.dataset['state'] ?? '');

function run(root: HTMLElement): void {
  for (const element of root.querySelectorAll<HTMLElement>('[data-needs-script]')) element.hidden = false;
  const countdown = startCountdown(Number(root.dataset['expiresIn']));
  setUpCopy();
  void watch(root, countdown);
}

async function watch(root: HTMLElement, countdown: Countdown): Promise<void> {
  const token = root.dataset['token'] ?? '';
  const offline = root.querySelector<HTMLElement>('.offline');
  for (let wait = 0; ;) {
    const startedAt = Date.now();
    const status = await poll(token, wait);
    if (offline) offline.hidden = status !== null;
    const isLong = wait > 0;
    // After a failure the next poll returns at once, so that the page says when the service is back.
    wait = status === null ? 0 : WAIT_SECONDS;
    if (status === null) await sleep(RETRY_MS);
    else if (status.status === 'pending') {
      countdown.set(status.expires_in);
      // A long poll that returns early is being limited: slow down.
      if (isLong && Date.now() - startedAt < RETRY_MS) await sleep(RETRY_MS);
    } else {
      countdown.stop();
      return settle(root, status);
    }
  }
}

/** Null if the service cannot be reached. A session that is not found has expired. */
async function poll(token: string, wait: number): Promise<SessionStatusBody | null> {
  try {
    const response = await fetch(`/login/${token}/status?wait=${wait}`, { cache: 'no-store' });
    if (response.ok) return (await response.json()) as SessionStatusBody;
    return response.status === 404 ? { status: 'expired', expires_in: 0, interval: 0 } : null;
  } catch {
    return null;
  }
}

function settle(root: HTMLElement, status: SessionStatusBody): void {
  // The service redirects the page after any outcome.
  if (root.dataset['onward'] === 'reload') return location.reload();
  if (status.status === 'confirmed') return goOn(root, status);
  const state = endOf(status);
  show(root, state);
  reportEnd(state);
}

function endOf(status: SessionStatusBody): string {
  if (status.status === 'declined') return status.reason === 'billing_blocked' ? 'billing' : 'declined';
  return status.status === 'consumed' ? 'done' : 'expired';
}

/** Tells the opener of a popup that the login ended without a code, and closes the popup. */
function reportEnd(state: string): void {
  const report = reports[state];
  if (!report || !isPopup()) return;
  // Any origin: the message holds nothing but the outcome, and the page does not know the project's origin.
  window.opener.postMessage(report, '*');
  window.close();
}

function goOn(root: HTMLElement, confirmed: Extract<SessionStatusBody, { status: 'confirmed' }>): void {
  const { code, state, redirect_url: target } = confirmed;
  if (target === null) return show(root, 'done');
  if (isPopup()) {
    // Only the project's own origin receives the code; a page of another origin that opened this window gets nothing.
    window.opener.postMessage({ type: 'herald:login', code, state }, new URL(target).origin);
    show(root, 'done');
    window.close();
    return;
  }
  show(root, 'confirmed');
  const link = root.querySelector<HTMLAnchorElement>('#onward');
  if (link) {
    link.href = target;
    link.hidden = false;
  }
  setTimeout(() => location.replace(target), ONWARD_MS);
}

/** Open without a script; the style sheet keeps it folded until here, so that nothing moves. */
function foldHelp(details: HTMLDetailsElement): void {
  details.open = false;
  details.dataset['ready'] = '';
  details.addEventListener('toggle', () => isPopup() && fitWindow());
}

/** Turns the links of the switch into tabs: one Tab stop, arrow keys move, and the page does not reload. */
function setUpTabs(list: HTMLElement): void {
  const links = [...list.querySelectorAll<HTMLAnchorElement>('a')];
  const panelOf = (link: HTMLAnchorElement) => document.getElementById(link.dataset['panel'] ?? '');
  const select = (chosen: HTMLAnchorElement) => {
    for (const link of links) {
      const isChosen = link === chosen;
      link.setAttribute('aria-selected', String(isChosen));
      link.tabIndex = isChosen ? 0 : -1;
      const panel = panelOf(link);
      if (panel) panel.hidden = !isChosen;
    }
  };
  list.setAttribute('role', 'tablist');
  for (const [index, link] of links.entries()) {
    link.setAttribute('role', 'tab');
    link.setAttribute('aria-controls', link.dataset['panel'] ?? '');
    const panel = panelOf(link);
    panel?.setAttribute('role', 'tabpanel');
    panel?.setAttribute('aria-labelledby', link.id);
    link.addEventListener('click', (event) => {
      event.preventDefault();
      select(link);
    });
    link.addEventListener('keydown', (event) => {
      if (event.key === ' ') {
        event.preventDefault();
        return select(link);
      }
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const next = step && links[(index + step + links.length) % links.length];
      if (!next) return;
      event.preventDefault();
      select(next);
      next.focus();
    });
  }
  const first = links.find((link) => link.hasAttribute('aria-current')) ?? links[0];
  for (const link of links) link.removeAttribute('aria-current');
  if (first) select(first);
}

/** Makes a popup as tall as its content, if the screen is. */
function fitWindow(): void {
  const missing = document.documentElement.scrollHeight - window.innerHeight;
  if (missing > 0) window.resizeBy(0, Math.min(missing, screen.availHeight - window.outerHeight));
}

function isPopup(): boolean {
  return new URLSearchParams(location.search).get('mode') === 'popup' && window.opener !== null;
}

function show(root: HTMLElement, state: string): void {
  root.dataset['state'] = state;
  for (const section of root.querySelectorAll<HTMLElement>('section[data-state]')) {
    section.hidden = section.dataset['state'] !== state;
  }
  const heading = root.querySelector<HTMLElement>(`section[data-state="${state}"] h1`);
  if (!heading) return;
  document.title = heading.textContent ?? document.title;
  heading.focus();
}

interface Countdown {
  set(seconds: number): void;
  stop(): void;
}

function startCountdown(seconds: number): Countdown {
  const element = document.querySelector('#countdown');
  let end = Date.now() + seconds * 1000;
  const draw = () => {
    const left = Math.max(0, Math.round((end - Date.now()) / 1000));
    if (element) element.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
  };
  draw();
  const timer = setInterval(draw, 500);
  return {
    set(left) {
      end = Date.now() + left * 1000;
    },
    stop: () => clearInterval(timer),
  };
}

function setUpCopy(): void {
  const button = document.querySelector<HTMLButtonElement>('#copy');
  const command = document.querySelector<HTMLElement>('#command');
  if (!button || !command) return;
  const label = button.textContent;
  button.addEventListener('click', () => {
    void copyText(command).then((done) => {
      if (!done) return;
      button.textContent = button.dataset['copied'] ?? label;
      setTimeout(() => (button.textContent = label), 2_000);
    });
  });
}

/** Without access to the clipboard (plain http on another host), select the text instead. */
async function copyText(element: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(element.textContent?.trim() ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(element);
    return false;
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
