import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { api, type DashboardSession } from '../api';
import { Field, Problem, useForm } from '../elements';
import { removeDrafts } from '../message/draft-storage';
import { enter, Heading } from '../router';
import { slugOf } from '../slug';
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
        {props.session.open_signup ? (
          <>
            <Heading title={t.start.newProject} />
            <p>{t.start.newProjectText}</p>
            <NewProject
              onCreated={async () => {
                enter('/dashboard');
                props.onSession(await api.session());
              }}
            />
            <p class="hint">{t.start.invited}</p>
          </>
        ) : (
          <>
            <Heading title={t.noProject} />
            <p>{t.noProjectText}</p>
          </>
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
  const [typed, setTyped] = useState<string | null>(null);
  const [name, setName] = useState('');
  const slug = typed ?? slugOf(name);
  const form = useForm(['slug', 'name'], async () => {
    await api.createProject({ slug, name });
    await onCreated();
  });
  return (
    <form {...form.attributes}>
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
            onInput={(event) => setTyped(event.currentTarget.value)}
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
