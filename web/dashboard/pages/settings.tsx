import { useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { api, type ProjectView } from '../api';
import { Field, Problem } from '../elements';
import { useResource } from '../resource';

export function Settings({ onChanged }: { onChanged: () => void }) {
  const project = useResource(api.project, 'project');
  return (
    <>
      <h1>Settings</h1>
      <Problem error={project.error} />
      {project.data && <SettingsForm project={project.data} onChanged={onChanged} />}
    </>
  );
}

function SettingsForm({ project, onChanged }: { project: ProjectView; onChanged: () => void }) {
  const [name, setName] = useState(project.name);
  const [callback, setCallback] = useState(project.callback_url ?? '');
  const [redirects, setRedirects] = useState(project.redirect_urls.join('\n'));
  const [policy, setPolicy] = useState(project.retry_policy);
  const [welcomeEn, setWelcomeEn] = useState(project.welcome_en ?? '');
  const [welcomeRu, setWelcomeRu] = useState(project.welcome_ru ?? '');
  const [error, setError] = useState<Error | null>(null);
  const [saved, setSaved] = useState(false);
  const save = async () => {
    setError(null);
    setSaved(false);
    try {
      await api.changeProject({
        name,
        callback_url: orNull(callback),
        redirect_urls: redirects
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== ''),
        retry_policy: policy,
        welcome_en: orNull(welcomeEn),
        welcome_ru: orNull(welcomeRu),
      });
      setSaved(true);
      onChanged();
    } catch (problem) {
      setError(problem as Error);
    }
  };
  return (
    <form
      class="panel settings"
      onInput={() => setSaved(false)}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <dl class="facts">
        <dt>Slug</dt>
        <dd>
          <code>{project.slug}</code>
        </dd>
        <dt>Plan</dt>
        <dd>{project.plan}</dd>
      </dl>
      <Field label="Name" hint="The bot shows it: “Log in to …?”">
        {(id) => (
          <input
            id={id}
            required
            maxLength={limits.nameLength}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field
        label="Callback URL"
        hint="Users return here with the code. The static link works only with a callback URL."
      >
        {(id) => (
          <input
            id={id}
            type="url"
            placeholder="https://"
            value={callback}
            onInput={(event) => setCallback(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field
        label="Other redirect URLs"
        hint="One per line. A session’s redirect_uri must exactly match the callback URL or one of these."
      >
        {(id) => (
          <textarea
            id={id}
            rows={4}
            value={redirects}
            onInput={(event) => setRedirects(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Retry policy for new endpoints">
        {(id) => (
          <select
            id={id}
            value={policy}
            onChange={(event) => setPolicy(event.currentTarget.value as 'durable' | 'quick')}
          >
            <option value="durable">Durable: retries for {limits.webhookRetryHours} hours</option>
            <option value="quick">Quick: retries after 1, 2 and 4 s</option>
          </select>
        )}
      </Field>
      <WelcomeField language="English" value={welcomeEn} onInput={setWelcomeEn} />
      <WelcomeField language="Russian" value={welcomeRu} onInput={setWelcomeRu} />
      <Problem error={error} />
      <p class="buttons">
        <button type="submit" class="primary">
          Save
        </button>
        <span role="status" class="good">
          {saved ? '✓ Saved' : ''}
        </span>
      </p>
    </form>
  );
}

function WelcomeField(props: { language: string; value: string; onInput: (text: string) => void }) {
  return (
    <Field
      label={`Welcome message in ${props.language}`}
      hint={`The bot adds it after a login or a new subscription. Up to ${limits.welcomeLength} characters.`}
    >
      {(id) => (
        <textarea
          id={id}
          class="prose"
          rows={2}
          maxLength={limits.welcomeLength}
          value={props.value}
          onInput={(event) => props.onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}
