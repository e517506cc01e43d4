import { useState } from 'preact/hooks';
import { api, type DashboardSession } from '../api';
import { Field, Problem } from '../elements';

export function SignIn(props: { notice: string; onSignedIn: (session: DashboardSession) => void }) {
  const [key, setKey] = useState('');
  const [error, setError] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    setError(null);
    try {
      props.onSignedIn(await api.signIn(key));
    } catch (problem) {
      setError(problem as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <main class="sign-in">
      <form
        class="panel"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <h1>
          <img src="/assets/icon.svg" alt="" width="36" height="36" /> Herald
        </h1>
        {props.notice && (
          <p class="note" role="status">
            {props.notice}
          </p>
        )}
        <Field label="Project API key" hint="Starts with hk_. The key is not stored in the browser.">
          {(id) => (
            <input
              id={id}
              type="password"
              autocomplete="current-password"
              required
              value={key}
              onInput={(event) => setKey(event.currentTarget.value)}
            />
          )}
        </Field>
        <Problem error={error} />
        <button type="submit" class="primary" disabled={busy}>
          Sign in
        </button>
      </form>
      <p>
        <a href="/docs">Documentation</a>
      </p>
    </main>
  );
}
