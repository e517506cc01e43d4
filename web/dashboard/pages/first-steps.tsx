import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { api, type EndpointView, type ProjectView } from '../api';
import { can } from '../access';
import { ActionButton, Dialog, Field, FormButtons, Icon, Problem, toast, useForm } from '../elements';
import { typedOrNull } from '../format';
import { go, Link } from '../router';
import { t } from '../texts';
import { NewEndpoint } from './new-endpoint';
import { TryLogin } from './try-login';

type Open = 'login' | 'endpoint' | 'callback' | null;

export interface FirstStepsProps {
  project: ProjectView;
  endpoints: EndpointView[];
  /** Whether a user has ever confirmed a login of the project. */
  hasLogin: boolean;
  reload: () => Promise<void>;
}

/** What a new project needs, until all of it is done. Each step's button does it here. */
export function FirstSteps({ project, endpoints, hasLogin, reload }: FirstStepsProps) {
  const [open, setOpen] = useState<Open>(null);
  const [error, setError] = useState<Error | null>(null);
  const close = () => setOpen(null);
  const active = endpoints.find(({ status }) => status === 'active');
  const sendTest = async () => {
    const { delivery_id } = await api.testEndpoint(active?.id ?? '', 'auth.completed');
    toast(t.start.testSent);
    go(`/dashboard/deliveries/${delivery_id}`);
  };
  const steps = {
    login: hasLogin,
    endpoint: endpoints.length > 0,
    test: endpoints.some(({ health }) => health && health.last_delivery_at !== null),
    callback: project.callback_url !== null,
  };
  // An open dialog says what it did before the list goes.
  if (Object.values(steps).every(Boolean) && open === null) return null;
  const opens = (dialog: Open, text: string) => (
    <button type="button" class="btn small" onClick={() => setOpen(dialog)}>
      {text}
    </button>
  );
  return (
    <section class="panel checklist" aria-labelledby="checklist-title">
      <h2 id="checklist-title">{t.checklistTitle}</h2>
      <p class="hint">{t.start.lead}</p>
      <Problem error={error} />
      <ol>
        <Step done={steps.login} title={t.start.login} text={t.start.loginText}>
          {can('auth') && opens('login', t.start.loginButton)}
        </Step>
        <Step done={steps.endpoint} title={t.start.endpoint} text={t.start.endpointText}>
          {opens('endpoint', t.newEndpoint)}
        </Step>
        <Step
          done={steps.test}
          title={t.start.test}
          text={steps.endpoint ? t.start.testText : t.start.testNeeds}
        >
          {active && (
            <ActionButton small act={sendTest} onError={setError}>
              {t.sendTest}
            </ActionButton>
          )}
        </Step>
        <Step done={steps.callback} title={t.start.callback} text={t.start.callbackText}>
          {opens('callback', t.start.setUrl)}
        </Step>
      </ol>
      <p class="hint">
        {t.start.backend}{' '}
        {can('admin') && (
          <>
            <Link to="/dashboard/keys">{t.start.createKey}</Link>
            {'\u00a0· '}
          </>
        )}
        <a href={t.docsStart} target="_blank" rel="noopener">
          {t.start.quickStart}
        </a>
      </p>
      {open === 'login' && <TryLogin onClose={close} onLoggedIn={reload} />}
      {open === 'endpoint' && <NewEndpoint onClose={close} onCreated={reload} />}
      {open === 'callback' && <CallbackDialog onClose={close} onSaved={reload} />}
    </section>
  );
}

function Step(props: { done: boolean; title: string; text: string; children: ComponentChildren }) {
  return (
    <li class={props.done ? 'done' : ''}>
      <Icon name={props.done ? 'checkCircle' : 'minusCircle'} />
      <p class="step">
        {props.title}
        {props.done ? (
          <span class="visually-hidden"> {t.stepDone}</span>
        ) : (
          <span class="hint">{props.text}</span>
        )}
      </p>
      {!props.done && props.children}
    </li>
  );
}

function CallbackDialog(props: { onClose: () => void; onSaved: () => Promise<void> }) {
  const [url, setUrl] = useState('');
  const form = useForm(['callback_url'], async () => {
    await api.changeProject({ callback_url: typedOrNull(url) });
    toast(t.saved);
    props.onClose();
    await props.onSaved();
  });
  return (
    <Dialog title={t.start.callback} unsaved={form.dirty} onClose={props.onClose}>
      <form {...form.attributes}>
        <Field label={t.callbackUrl} hint={t.callbackUrlHint} error={form.problemOf('callback_url')}>
          {(attributes) => (
            <input
              {...attributes}
              type="url"
              required
              placeholder="https://"
              maxLength={limits.urlLength}
              value={url}
              onInput={(event) => setUrl(event.currentTarget.value)}
            />
          )}
        </Field>
        <FormButtons form={form} submit={t.save} onCancel={props.onClose} />
      </form>
    </Dialog>
  );
}
