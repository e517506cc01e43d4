import { useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { api, type DashboardSession } from '../api';
import { Field, Problem, useForm } from '../elements';
import { removeDrafts } from '../message/draft-storage';
import { Heading } from '../router';
import { LanguageSwitch } from '../language-switch';
import { t } from '../texts';
import { OwnSignIns } from './account';

/** For an account that is in no team. */
export function NoProject(props: {
  session: DashboardSession;
  onSession: (session: DashboardSession) => void;
  onSignedOut: () => void;
}) {
  return (
    <main class="sign-in">
      <div class="panel">
        <Heading title={t.noProject} />
        <p>{t.noProjectText}</p>
        {props.session.open_signup && (
          <NewProject onCreated={async () => props.onSession(await api.session())} />
        )}
        <p class="buttons">
          <button
            type="button"
            class="btn"
            onClick={() => {
              removeDrafts();
              void api.signOut().then(props.onSignedOut, props.onSignedOut);
            }}
          >
            {t.signOut}
          </button>
        </p>
      </div>
      <section class="own-sign-ins" aria-labelledby="own-sign-ins">
        <h2 id="own-sign-ins">{t.account}</h2>
        <OwnSignIns />
      </section>
      <p class="sign-in-foot">
        <LanguageSwitch />
      </p>
    </main>
  );
}

function NewProject({ onCreated }: { onCreated: () => Promise<void> }) {
  const [slug, setSlug] = useState('');
  const [name, setName] = useState('');
  const form = useForm(['slug', 'name'], async () => {
    await api.createProject({ slug, name });
    await onCreated();
  });
  return (
    <form {...form.attributes}>
      <p>{t.createProjectText}</p>
      <Field label={t.name} hint={t.projectNameHint} error={form.problemOf('name')}>
        {(attributes) => (
          <input
            {...attributes}
            required
            maxLength={limits.nameLength}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label={t.slug} hint={t.slugHint} error={form.problemOf('slug')}>
        {(attributes) => (
          <input
            {...attributes}
            required
            maxLength={limits.slugLength.max}
            value={slug}
            onInput={(event) => setSlug(event.currentTarget.value)}
          />
        )}
      </Field>
      <Problem error={form.error} />
      <button type="submit" class="btn primary" disabled={form.busy}>
        {t.createProject}
      </button>
    </form>
  );
}
