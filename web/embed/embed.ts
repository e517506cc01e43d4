/*
 * The embeddable login button. A site loads it with one script tag:
 *
 *   <script src="https://herald.example/embed.js" data-session-url="/herald/session"></script>
 *
 * which adds a button in its place, or calls `Herald.login({ sessionUrl })` itself. The session URL belongs to the site:
 * its backend creates the session and returns {"hosted_url": …}. The login runs in a separate window, because the page
 * that shows the code must not be framed. One file without imports, so that it works as a classic script.
 */
(() => {
  const script = document.currentScript as HTMLScriptElement | null;
  const WINDOW = 'popup,width=520,height=760';
  const CLOSED_POLL_MS = 400;

  interface LoginOptions {
    /** The `hosted_url` of a session that the site's backend has created. */
    hostedUrl?: string;
    /** Or a URL of the site that creates one: POST, returns {"hosted_url": …}. */
    sessionUrl?: string;
    signal?: AbortSignal;
  }
  interface LoginResult {
    code: string;
    state: string | null;
  }

  class HeraldError extends Error {
    constructor(
      /** `declined` (the user tapped No), `expired`, `cancelled`, `blocked` (the browser blocked the window) or `failed`. */
      readonly reason: 'declined' | 'expired' | 'cancelled' | 'blocked' | 'failed',
      message: string,
    ) {
      super(message);
      this.name = 'HeraldError';
    }
  }

  /** Call it in a click handler: browsers open windows only then. */
  async function login(options: LoginOptions): Promise<LoginResult> {
    // Before the first await: browsers open windows only during a click.
    const popup = window.open('', '', WINDOW);
    if (!popup) {
      throw new HeraldError(
        'blocked',
        'The browser blocked the login window. Allow pop-ups for this site and try again.',
      );
    }
    const dialog = openDialog(popup);
    try {
      const hosted = new URL(options.hostedUrl ?? (await createSession(options.sessionUrl)), location.href);
      hosted.searchParams.set('mode', 'popup');
      popup.location.href = hosted.href;
      return await loginResult(popup, hosted.origin, dialog, options.signal);
    } catch (error) {
      popup.close();
      throw error;
    } finally {
      dialog.close();
      dialog.remove();
    }
  }

  async function createSession(sessionUrl: string | undefined): Promise<string> {
    if (!sessionUrl) throw new HeraldError('failed', 'Pass hostedUrl or sessionUrl.');
    const response = await fetch(sessionUrl, { method: 'POST', headers: { accept: 'application/json' } });
    const body = response.ok ? ((await response.json()) as { hosted_url?: unknown }) : {};
    if (typeof body.hosted_url !== 'string') {
      throw new HeraldError('failed', `${sessionUrl} did not return a hosted_url.`);
    }
    return body.hosted_url;
  }

  function loginResult(
    popup: Window,
    origin: string,
    dialog: HTMLDialogElement,
    signal: AbortSignal | undefined,
  ): Promise<LoginResult> {
    return new Promise<LoginResult>((resolve, reject) => {
      const cancel = () => end(() => reject(new HeraldError('cancelled', 'The login was cancelled.')));
      const timer = setInterval(() => popup.closed && cancel(), CLOSED_POLL_MS);
      const receive = (event: MessageEvent) => {
        const data = event.data as { type?: unknown; code?: unknown; state?: unknown } | null;
        if (event.origin !== origin || event.source !== popup) return;
        if (data?.type === 'herald:declined') {
          return end(() => reject(new HeraldError('declined', 'The login was declined.')));
        }
        if (data?.type === 'herald:expired') {
          return end(() => reject(new HeraldError('expired', 'The login has expired.')));
        }
        if (data?.type !== 'herald:login') return;
        const state = typeof data.state === 'string' ? data.state : null;
        end(() => resolve({ code: String(data.code), state }));
      };
      function end(settle: () => void): void {
        clearInterval(timer);
        window.removeEventListener('message', receive);
        settle();
      }
      window.addEventListener('message', receive);
      dialog.addEventListener('close', cancel, { once: true });
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  const russian = (document.documentElement.lang || navigator.language).startsWith('ru');
  const texts = russian
    ? {
        button: 'Войти через мессенджер',
        wait: 'Продолжите вход в открывшемся окне.',
        show: 'Показать окно',
        cancel: 'Отмена',
      }
    : {
        button: 'Log in with a messenger',
        wait: 'Continue in the login window.',
        show: 'Show window',
        cancel: 'Cancel',
      };

  /** Points to the login window. Styled by properties, which a strict Content-Security-Policy allows. */
  function openDialog(popup: Window): HTMLDialogElement {
    const dialog = document.createElement('dialog');
    dialog.className = 'herald-dialog';
    const text = document.createElement('p');
    text.textContent = texts.wait;
    const show = button(texts.show, () => popup.focus());
    const cancel = button(texts.cancel, () => {
      popup.close();
      dialog.close();
    });
    cancel.style.marginLeft = '8px';
    Object.assign(dialog.style, {
      border: '0',
      borderRadius: '14px',
      padding: '24px',
      maxWidth: '22rem',
      font: '16px/1.5 system-ui, sans-serif',
    });
    dialog.append(text, show, cancel);
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
  }

  function button(label: string, act: () => void): HTMLButtonElement {
    const element = document.createElement('button');
    element.type = 'button';
    element.textContent = label;
    Object.assign(element.style, {
      padding: '10px 16px',
      border: '1px solid #8793a3',
      borderRadius: '8px',
      font: 'inherit',
      cursor: 'pointer',
    });
    element.addEventListener('click', act);
    return element;
  }

  /** The button of the script tag. It reports the outcome by events that bubble. */
  function placeButton(sessionUrl: string, place: HTMLScriptElement): void {
    const element = button(place.dataset['label'] ?? texts.button, () => {
      element.disabled = true;
      login({ sessionUrl })
        .then(
          (detail) => void element.dispatchEvent(new CustomEvent('herald:login', { bubbles: true, detail })),
          (error: unknown) =>
            void element.dispatchEvent(new CustomEvent('herald:error', { bubbles: true, detail: error })),
        )
        .finally(() => (element.disabled = false));
    });
    element.className = 'herald-login';
    Object.assign(element.style, { background: '#2457d6', color: '#ffffff', border: '0', fontWeight: '600' });
    place.after(element);
  }

  Object.assign(window, { Herald: { login } });
  const sessionUrl = script?.dataset['sessionUrl'];
  if (script && sessionUrl) placeButton(sessionUrl, script);
})();
