import { useEffect, useState } from 'preact/hooks';
import { api, type DashboardLogin, type DashboardSession } from '../api';
import { Icon, Problem } from '../elements';
import { t } from '../texts';

type Ended = keyof typeof t.signInEnds;

const messengers = [
  ['telegram', 'Telegram'],
  ['max', 'MAX'],
] as const;

/** `npm start` prints a link with this parameter: the sign-in then begins by itself, as that user of the simulator. */
const demoUser = () => new URLSearchParams(location.search).get('demo');

/** Signs in by Herald's own login: the person confirms in the bot, and this page waits for it. */
export function MessengerSignIn({ onSignedIn }: { onSignedIn: (session: DashboardSession) => void }) {
  const [login, setLogin] = useState<DashboardLogin | null>(null);
  const [ended, setEnded] = useState<Ended | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const begin = () => {
    setEnded(null);
    setError(null);
    api.beginLogin().then(setLogin, setError);
  };
  useEffect(() => {
    if (demoUser() !== null) begin();
  }, []);
  useEffect(() => {
    if (!login) return;
    const waiting = new AbortController();
    waitForAnswer(login.login_id, waiting.signal).then(
      async (status) => {
        if (waiting.signal.aborted) return;
        if (status === 'confirmed') return onSignedIn(await api.session());
        setLogin(null);
        setEnded(status);
      },
      (problem: Error) => {
        if (waiting.signal.aborted) return;
        setLogin(null);
        setError(problem);
      },
    );
    return () => waiting.abort();
  }, [login]);
  return (
    <div class="sign-in-messenger">
      <p class="or">{t.orByMessenger}</p>
      {ended && (
        <p class="note" role="status">
          {t.signInEnds[ended]}
        </p>
      )}
      <Problem error={error} />
      {login ? (
        <div role="status">
          <p>{t.confirmInMessenger}</p>
          <p class="buttons">
            {messengers.filter(isOffered).map(([channel, name]) => {
              const link = login[`${channel}_link`];
              return (
                link && (
                  <a key={channel} class="btn" href={linkOf(link)} target="_blank" rel="noopener">
                    <Icon name={channel} small /> {t.openIn(name)}
                  </a>
                )
              );
            })}
          </p>
          <p>
            {t.matchCodeIs}: <strong class="match-code">{login.match_code}</strong>
          </p>
        </div>
      ) : (
        <button type="button" class="btn" onClick={begin}>
          {ended || error ? t.tryAgain : t.signInByMessenger}
        </button>
      )}
    </div>
  );
}

async function waitForAnswer(id: string, signal: AbortSignal): Promise<'confirmed' | Ended> {
  for (;;) {
    const { status } = await api.pollLogin(id);
    if (status !== 'pending') return status;
    if (signal.aborted) return 'expired';
  }
}

/** The owner of the demo is a user of Telegram. */
function isOffered([channel]: (typeof messengers)[number]): boolean {
  return channel === 'telegram' || demoUser() === null;
}

/** For a user of the demo the simulator presses Start by itself. */
function linkOf(link: string): string {
  const user = demoUser();
  if (user === null) return link;
  const url = new URL(link);
  url.searchParams.set('user', user);
  url.searchParams.set('at_once', '');
  return url.href;
}
