import { render, type FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { setAccess } from './access';
import { api, ApiError, listenForSignOut, type DashboardSession } from './api';
import { Toasts } from './elements/toast';
import { errorText } from './errors';
import { loadMessengers } from './messengers';
import { SignIn, SignInAgain, Unreachable } from './pages/sign-in';
import { reloadAll } from './resource';
import type { ShellProps } from './shell';
import { listenForLanguage, t } from './texts';
import { applyTheme } from './theme';

/** `null`: not known yet. */
type SignedIn = DashboardSession | { notice: string } | { error: Error } | null;

/** The service has seen no cookie of a sign-in: asking for one would only log an error in the browser's console. */
const isSignedOut = () => 'signedOut' in document.documentElement.dataset;

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
  const begin = async () => {
    // A signed-in person needs the pages in any case.
    if (!isSignedOut()) void loadShell().catch(() => {});
    const [messengers, found] = await Promise.allSettled([
      loadMessengers(),
      isSignedOut() ? null : api.session(),
    ]);
    if (found.status === 'fulfilled' && found.value) return enter(found.value);
    const error: unknown = found.status === 'rejected' ? found.reason : null;
    // A 401 means that the sign-in has ended: show no notice.
    const problem = error instanceof ApiError && error.status !== 401 ? error : null;
    // After too many requests the sign-in is still valid: another one is not needed.
    if (problem && ['offline', 'rate_limit_project'].includes(problem.code)) {
      return setSession({ error: problem });
    }
    if (messengers.status === 'rejected') return setSession({ error: messengers.reason as Error });
    setSession({ notice: problem ? errorText(problem) : '' });
  };
  useEffect(() => void begin(), []);
  if (session === null) return <p class="asking">{t.loading}</p>;
  if ('error' in session) return <Unreachable error={session.error} retry={begin} />;
  if ('notice' in session) {
    return (
      <>
        <SignIn notice={session.notice} onSignedIn={enter} />
        <Toasts />
      </>
    );
  }
  const leave = () => {
    listenForSignOut(() => {});
    setSession({ notice: '' });
  };
  setAccess(session.scopes);
  if (session.project_id === null) {
    return (
      <>
        <Loaded load={loadNoProject} session={session} onSession={enter} onSignedOut={leave} />
        <Toasts />
      </>
    );
  }
  return (
    <>
      <Loaded
        load={loadShell}
        key={session.project_id}
        session={session}
        onSession={enter}
        onSignedOut={leave}
      />
      <Toasts />
      {/* The page stays as it is below, with everything that was typed. */}
      {expired && <SignInAgain onSignedIn={enter} />}
    </>
  );
}

/** The pages are loaded after the sign-in, which needs none of them. */
const loadShell = () => import('./shell').then(({ Shell }) => Shell);
const loadNoProject = () => import('./pages/no-project').then(({ NoProject }) => NoProject);

function Loaded({ load, ...props }: ShellProps & { load: () => Promise<FunctionComponent<ShellProps>> }) {
  const [page, setPage] = useState<{ Shown: FunctionComponent<ShellProps> } | null>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    load().then(
      (Shown) => setPage({ Shown }),
      () => setError(new ApiError(0, 'offline', t.offline, null, true)),
    );
  }, []);
  // The whole page: after an update of the service its files have other names.
  if (error) return <Unreachable error={error} retry={async () => location.reload()} />;
  return page ? <page.Shown {...props} /> : <p class="asking">{t.loading}</p>;
}

export function start(): void {
  applyTheme();
  const root = document.querySelector('#app');
  if (root) render(<App />, root);
}
