import { render, type FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { setAccess } from './access';
import { api, ApiError, listenForSignOut, type DashboardSession } from './api';
import { Toasts } from './elements';
import { errorText } from './errors';
import { loadMessengers } from './messengers';
import { NoProject } from './pages/no-project';
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
    if (!isSignedOut()) void loadShell().catch(() => (loading = undefined));
    const [messengers, found] = await Promise.allSettled([
      loadMessengers(),
      isSignedOut() ? null : api.session(),
    ]);
    if (found.status === 'fulfilled' && found.value) return enter(found.value);
    const error: unknown = found.status === 'rejected' ? found.reason : null;
    // A 401 means that the sign-in has ended: show no notice.
    const problem = error instanceof ApiError && error.status !== 401 ? error : null;
    if (problem?.code === 'offline') return setSession({ error: problem });
    if (messengers.status === 'rejected') return setSession({ error: messengers.reason as Error });
    setSession({ notice: problem ? errorText(problem) : '' });
  };
  useEffect(() => void begin(), []);
  if (session === null) return <p class="asking">{t.loading}</p>;
  if ('error' in session) return <Unreachable error={session.error} retry={begin} />;
  if ('notice' in session) return <SignIn notice={session.notice} onSignedIn={enter} />;
  const leave = () => {
    listenForSignOut(() => {});
    setSession({ notice: '' });
  };
  setAccess(session.scopes);
  if (session.project_id === null) {
    return (
      <>
        <NoProject session={session} onSession={enter} onSignedOut={leave} />
        <Toasts />
      </>
    );
  }
  return (
    <>
      <LoadedShell key={session.project_id} session={session} onSession={enter} onSignedOut={leave} />
      <Toasts />
      {/* The page stays as it is below, with everything that was typed. */}
      {expired && <SignInAgain onSignedIn={enter} />}
    </>
  );
}

/** The pages are loaded after the sign-in, which needs none of them. */
let loading: Promise<FunctionComponent<ShellProps>> | undefined;
const loadShell = () => (loading ??= import('./shell').then(({ Shell }) => Shell));

function LoadedShell(props: ShellProps) {
  const [Shell, setShell] = useState<{ shown: FunctionComponent<ShellProps> } | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const load = () => {
    setError(null);
    loadShell().then(
      (shown) => setShell({ shown }),
      () => {
        loading = undefined;
        setError(new ApiError(0, 'offline', t.offline, null, true));
      },
    );
  };
  useEffect(load, []);
  if (error) return <Unreachable error={error} retry={async () => load()} />;
  return Shell ? <Shell.shown {...props} /> : <p class="asking">{t.loading}</p>;
}

export function start(): void {
  applyTheme();
  const root = document.querySelector('#app');
  if (root) render(<App />, root);
}
