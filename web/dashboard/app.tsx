import { useEffect, useState } from 'preact/hooks';
import { setAccess } from './access';
import { api, ApiError, listenForSignOut, type DashboardSession } from './api';
import { Toasts } from './elements';
import { errorText } from './errors';
import { loadMessengers } from './messengers';
import { NoProject } from './pages/no-project';
import { SignIn, SignInAgain } from './pages/sign-in';
import { reloadAll } from './resource';
import { Shell } from './shell';
import { listenForLanguage, t } from './texts';

/** `null`: not known yet. */
type SignedIn = DashboardSession | { notice: string } | null;

/** The sign-in page, or the shell with the page at the current path. */
export function App() {
  const [session, setSession] = useState<SignedIn>(null);
  const [expired, setExpired] = useState(false);
  const [, renderAgain] = useState({});
  useEffect(() => listenForLanguage(() => renderAgain({})), []);
  const enter = (found: DashboardSession) => {
    setSession(found);
    setExpired(false);
    listenForSignOut(() => setExpired(true));
    reloadAll();
  };
  useEffect(() => {
    const messengers = loadMessengers();
    // A 401 on the first request means that there was no session: show no notice.
    api
      .session()
      .finally(() => messengers)
      .then(enter, (error: unknown) => {
        const failed = error instanceof ApiError && error.status !== 401;
        setSession({ notice: failed ? errorText(error) : '' });
      });
  }, []);
  if (session === null) return <p class="asking">{t.loading}</p>;
  if ('notice' in session) return <SignIn notice={session.notice} onSignedIn={enter} />;
  const leave = () => {
    listenForSignOut(() => {});
    setSession({ notice: '' });
  };
  setAccess(session.scopes);
  if (session.project_id === null) {
    return <NoProject session={session} onSession={enter} onSignedOut={leave} />;
  }
  return (
    <>
      <Shell key={session.project_id} session={session} onSession={enter} onSignedOut={leave} />
      <Toasts />
      {/* The page stays as it is below, with everything that was typed. */}
      {expired && <SignInAgain onSignedIn={enter} />}
    </>
  );
}
