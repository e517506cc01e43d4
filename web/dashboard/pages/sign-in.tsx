import { useEffect, useState } from 'preact/hooks';
import { api, type DashboardSession } from '../api';
import { Problem } from '../elements/basics';
import { Dialog } from '../elements/dialog';
import { Field } from '../elements/fields';
import { useForm } from '../elements/form';
import { messengers } from '../messengers';
import { Heading } from '../router';
import { LanguageSwitch } from '../language-switch';
import { t } from '../texts';
import { MessengerSignIn } from './messenger-sign-in';

type OnSignedIn = (session: DashboardSession) => void;

export function SignIn(props: { notice: string; onSignedIn: OnSignedIn }) {
  return (
    <main class="sign-in">
      <div class="panel">
        <Brand />
        <Ways {...props} />
      </div>
      <p class="sign-in-foot">
        <a href={t.docsStart}>{t.docs}</a> <LanguageSwitch />
      </p>
    </main>
  );
}

/** Before anything could be read: neither the sign-in nor a page can be shown. */
export function Unreachable({ error, retry }: { error: Error; retry: () => Promise<void> }) {
  return (
    <main class="sign-in">
      <div class="panel">
        <Brand />
        <Problem error={error} retry={() => void retry()} />
      </div>
    </main>
  );
}

function Brand() {
  return (
    <Heading title={t.signInTitle}>
      <img src="/assets/icon.svg" alt="" width="32" height="32" /> Herald
    </Heading>
  );
}

/** Covers the page of a session that has ended. Signing in again uncovers it as it was left. */
export function SignInAgain({ onSignedIn }: { onSignedIn: OnSignedIn }) {
  return (
    <Dialog title={t.signInTitle} class="cover" persistent onClose={() => {}}>
      <Ways notice={t.signedOut} onSignedIn={onSignedIn} />
    </Dialog>
  );
}

/** People sign in by messenger; a key is for those who have nothing else yet. The address `#key` begins with the key. */
function Ways(props: { notice: string; onSignedIn: OnSignedIn }) {
  const [isByKey, setByKey] = useState(location.hash === BY_KEY || messengers().length === 0);
  return (
    <>
      {props.notice && (
        <p class="note" role="status">
          {props.notice}
        </p>
      )}
      {isSignUp() && <p class="sign-up">{t.start.signUp}</p>}
      <MessengerSignIn onSignedIn={props.onSignedIn} />
      {isByKey ? (
        <KeyForm onSignedIn={props.onSignedIn} />
      ) : (
        <p class="other-way">
          <a
            href={BY_KEY}
            onClick={(event) => {
              event.preventDefault();
              setByKey(true);
            }}
          >
            {t.useApiKey}
          </a>
        </p>
      )}
    </>
  );
}

const BY_KEY = '#key';

/** The front page leads here with this parameter, where a visitor can create a project. */
const isSignUp = () => new URLSearchParams(location.search).has('new');

function KeyForm(props: { onSignedIn: OnSignedIn }) {
  const [key, setKey] = useState('');
  const form = useForm([], async () => props.onSignedIn(await api.signIn(key)));
  const { ref } = form.attributes;
  // The form appears because the person asked for it: the next thing is to type the key.
  useEffect(() => ref.current?.querySelector('input')?.focus(), []);
  return (
    <form {...form.attributes} class="by-key">
      <Field label={t.apiKey} hint={t.apiKeyHint}>
        {(attributes) => (
          <input
            {...attributes}
            type="password"
            autocomplete="current-password"
            required
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        )}
      </Field>
      <Problem error={form.error} />
      <button type="submit" class="btn primary" disabled={form.busy}>
        {t.signIn}
      </button>
    </form>
  );
}
