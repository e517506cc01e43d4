/*
 * The embeddable login button. A site loads it with one script tag:
 *
 *   <script src="https://herald.example/embed.js" data-session-url="/herald/session"></script>
 *
 * which adds a button in its place (`data-color="#2f55d4"` gives it the site's colour), or calls `Herald.login({ sessionUrl })` itself. The session URL belongs to the site:
 * its backend creates the session and returns {"hosted_url": …}. The login runs in a separate window, because the page
 * that shows the code must not be framed. One file without imports, so that it works as a classic script.
 */
(() => {
  const script = document.currentScript as HTMLScriptElement | null;
  /** The login page with its two columns; it grows by itself where its content needs more. */
  const SIZE = { width: 720, height: 680 };
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
    const popup = window.open('', '', windowFeatures());
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
      // A site's backend that is unavailable, or that returns something else than JSON or a URL.
      throw error instanceof HeraldError ? error : new HeraldError('failed', String(error));
    } finally {
      dialog.close();
      dialog.remove();
    }
  }

  /** In the middle of the site's window. */
  function windowFeatures(): string {
    const left = Math.max(0, Math.round(screenX + (outerWidth - SIZE.width) / 2));
    const top = Math.max(0, Math.round(screenY + (outerHeight - SIZE.height) / 2));
    return `popup,width=${SIZE.width},height=${SIZE.height},left=${left},top=${top}`;
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
      let wasClosed = false;
      // The popup closes itself after posting the result, and a busy page may receive the message later: cancel only at the
      // second poll that finds it closed.
      const timer = setInterval(() => {
        if (wasClosed) cancel();
        wasClosed = popup.closed;
      }, CLOSED_POLL_MS);
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

  const FONT = '500 15px/20px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
  const ACCENT = '#2f55d4';

  /** Points to the login window. Styled by properties, which a strict Content-Security-Policy allows. */
  function openDialog(popup: Window): HTMLDialogElement {
    const dialog = document.createElement('dialog');
    dialog.className = 'herald-dialog';
    const text = document.createElement('p');
    text.textContent = texts.wait;
    Object.assign(text.style, { margin: '0 0 16px' });
    const show = button(texts.show, () => popup.focus());
    const cancel = button(texts.cancel, () => {
      popup.close();
      dialog.close();
    });
    cancel.style.marginLeft = '8px';
    Object.assign(dialog.style, {
      border: '1px solid rgb(128 128 128 / 35%)',
      borderRadius: '12px',
      padding: '24px',
      maxWidth: '22rem',
      colorScheme: 'light dark',
      background: 'Canvas',
      color: 'CanvasText',
      font: FONT,
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
      padding: '9px 16px',
      border: '1px solid rgb(128 128 128 / 60%)',
      borderRadius: '8px',
      background: 'transparent',
      color: 'inherit',
      font: FONT,
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
    const asked = place.dataset['color'] ?? '';
    const background = /^#[0-9a-f]{6}$/i.test(asked) ? asked : ACCENT;
    Object.assign(element.style, {
      display: 'inline-flex',
      alignItems: 'center',
      gap: '8px',
      background,
      color: inkOn(background),
      borderColor: background,
    });
    element.prepend(paperPlane());
    place.after(element);
  }

  /** White or black, whichever can be read; as on the login page (src/base/contract/color.ts). */
  function inkOn(color: string): string {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const channel = parseInt(color.slice(at, at + 2), 16) / 255;
      return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
    });
    const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    return 1.05 / (luminance + 0.05) >= 4.5 ? '#ffffff' : '#000000';
  }

  function paperPlane(): SVGSVGElement {
    const namespace = 'http://www.w3.org/2000/svg';
    const icon = document.createElementNS(namespace, 'svg');
    const path = document.createElementNS(namespace, 'path');
    const attributes = { viewBox: '0 0 24 24', width: '20', height: '20', 'aria-hidden': 'true' };
    for (const [name, value] of Object.entries(attributes)) icon.setAttribute(name, value);
    path.setAttribute('fill', 'currentColor');
    path.setAttribute(
      'd',
      'M2.6 11.6 20 4.7c.8-.3 1.6.3 1.3 1.3l-2.9 13.6c-.2.9-.9 1.2-1.6.7l-4.4-3.2-2.1 2c-.4.5-.9.3-1-.3l-.7-4.4 7.6-6.9-9.5 5.9-4.1-1.2c-.9-.2-.9-.5 0-.6z',
    );
    icon.append(path);
    return icon;
  }

  Object.assign(window, { Herald: { login } });
  const sessionUrl = script?.dataset['sessionUrl'];
  if (script && sessionUrl) placeButton(sessionUrl, script);
})();
