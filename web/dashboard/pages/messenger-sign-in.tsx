import { useEffect, useState } from 'preact/hooks';
import { api, type DashboardLogin, type DashboardSession } from '../api';
import { MessengerIcon, Problem } from '../elements/basics';
import { firstChannel, messengerLinks, messengers } from '../messengers';
import { language, t } from '../texts';

type Ended = keyof typeof t.signInEnds;

/** `npm start` prints a link with this parameter: the sign-in then begins by itself, as that user of the simulator. */
const demoUser = () => new URLSearchParams(location.search).get('demo');

/** Signs in by Herald's own login: the person confirms in the bot, and this page waits for it. */
export function MessengerSignIn({ onSignedIn }: { onSignedIn: (session: DashboardSession) => void }) {
  const [login, setLogin] = useState<DashboardLogin | null>(null);
  const [chosen, setChosen] = useState('');
  const [ended, setEnded] = useState<Ended | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const begin = (channel: string) => {
    setChosen(channel);
    setEnded(null);
    setError(null);
    api.beginLogin().then(setLogin, setError);
  };
  useEffect(() => {
    if (demoUser() !== null) begin(firstChannel());
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
      {ended && (
        <p class="note" role="status">
          {t.signInEnds[ended]}
        </p>
      )}
      <Problem error={error} />
      {login ? (
        <div role="status">
          <p>{t.confirmInMessenger}</p>
          <p class="messengers">
            {offered(login, chosen).map(({ channel, name, link }) => (
              <a key={channel} class="btn primary" href={linkOf(link)} target="_blank" rel="noopener">
                <MessengerIcon channel={channel} /> {t.openIn(name)}
              </a>
            ))}
          </p>
          <p>
            {t.matchCodeIs}: <strong class="match-code">{login.match_code}</strong>
          </p>
          <button type="button" class="btn quiet small" onClick={() => setLogin(null)}>
            {t.goBack}
          </button>
        </div>
      ) : (
        <p class="messengers">
          {messengers().map(({ channel, label }) => (
            <button key={channel} type="button" class="btn" onClick={() => begin(channel)}>
              <MessengerIcon channel={channel} /> {t.continueWith(label[language])}
            </button>
          ))}
        </p>
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

/** The messenger that was chosen; all of them where it has no bot. */
function offered(login: DashboardLogin, chosen: string) {
  const links = messengerLinks(login);
  const wanted = links.filter(({ channel }) => channel === chosen);
  return wanted.length > 0 ? wanted : links;
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
