import { useEffect, useState } from 'preact/hooks';
import { api, type DashboardLogin, type DashboardSession } from '../api';
import { MessengerIcon, Problem } from '../elements';
import { messengerLinks, messengers } from '../messengers';
import { language, locale, t } from '../texts';

type Ended = keyof typeof t.signInEnds;

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
            {offered(login).map(({ channel, name, link }) => (
              <a key={channel} class="btn" href={linkOf(link)} target="_blank" rel="noopener">
                <MessengerIcon channel={channel} /> {t.openIn(name)}
              </a>
            ))}
          </p>
          <p>
            {t.matchCodeIs}: <strong class="match-code">{login.match_code}</strong>
          </p>
        </div>
      ) : (
        <button type="button" class="btn" onClick={begin}>
          {ended || error
            ? t.tryAgain
            : t.signInWith(anyOf(messengers().map(({ label }) => label[language])))}
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

/** The owner of the demo is a user of the first messenger. */
function offered(login: DashboardLogin) {
  return messengerLinks(login).slice(0, demoUser() === null ? undefined : 1);
}

function anyOf(names: string[]): string {
  return new Intl.ListFormat(locale, { type: 'disjunction' }).format(names);
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
