import { useEffect, useState } from 'preact/hooks';
import { api, type CreatedSession } from '../api';
import { Dialog, MessengerIcon, Problem } from '../elements';
import { messengerLinks } from '../messengers';
import { Link } from '../router';
import { t } from '../texts';

type Ended = 'declined' | 'expired';

/** A real login of the project, with the dashboard in the place of the project's backend. */
export function TryLogin({ onClose, onLoggedIn }: { onClose: () => void; onLoggedIn: () => Promise<void> }) {
  const [session, setSession] = useState<CreatedSession | null>(null);
  const [ended, setEnded] = useState<Ended | null>(null);
  const [name, setName] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const begin = () => {
    setEnded(null);
    setError(null);
    api.createSession().then(setSession, setError);
  };
  useEffect(begin, []);
  useEffect(() => {
    if (!session) return;
    const closed = new AbortController();
    let isOpen = true;
    const end = async () => {
      const result = await waitForAnswer(session.session_id, closed.signal);
      isOpen = false;
      if (closed.signal.aborted) return;
      if (result.status !== 'confirmed') {
        return setEnded(result.status === 'declined' ? 'declined' : 'expired');
      }
      setName((await api.verifyLogin(result.code)).first_name);
      await onLoggedIn();
    };
    end().catch((problem: Error) => {
      if (!closed.signal.aborted) setError(problem);
    });
    return () => {
      closed.abort();
      // The dialog is closed, so the bot's question is taken back.
      if (isOpen) api.cancelSession(session.session_id).catch(() => {});
    };
  }, [session]);
  return (
    <Dialog title={t.start.login} onClose={onClose}>
      <Problem error={error} />
      {ended && (
        <p class="note" role="status">
          {t.signInEnds[ended]}
        </p>
      )}
      {name !== null && session && (
        <div role="status">
          <p class="logged-in">{t.start.loginWorks(name)}</p>
          <p>{t.start.loginWorksText}</p>
          <p>
            <Link to={`/dashboard/logins/${session.session_id}`}>{t.start.showLogin}</Link>
          </p>
        </div>
      )}
      {session && name === null && !ended && <Waiting session={session} />}
      <p class="buttons end">
        {(ended !== null || error !== null) && (
          <button type="button" class="btn" onClick={begin}>
            {t.start.tryAgain}
          </button>
        )}
        <button type="button" class={name === null ? 'btn' : 'btn primary'} onClick={onClose}>
          {name === null ? t.cancel : t.start.done}
        </button>
      </p>
    </Dialog>
  );
}

function Waiting({ session }: { session: CreatedSession }) {
  return (
    <div class="try-login">
      <p>{t.start.loginLead}</p>
      <p class="messengers">
        {messengerLinks(session).map(({ channel, name, link }) => (
          <a key={channel} class="btn" href={link} target="_blank" rel="noopener">
            <MessengerIcon channel={channel} /> {t.openIn(name)}
          </a>
        ))}
      </p>
      <p>
        {t.matchCodeIs}: <strong class="match-code">{session.match_code}</strong>
      </p>
      <p>
        <a href={session.hosted_url} target="_blank" rel="noopener">
          {t.start.byQr}
        </a>
      </p>
    </div>
  );
}

async function waitForAnswer(id: string, signal: AbortSignal) {
  for (;;) {
    const result = await api.sessionStatus(id);
    if (result.status !== 'pending' || signal.aborted) return result;
  }
}
