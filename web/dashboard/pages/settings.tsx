import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { api, type ProjectView } from '../api';
import { Field, FormButtons, Problem, TimezoneField, toast, useForm } from '../elements';
import { typedList, typedOrNull } from '../format';
import { useResource } from '../resource';
import { Heading } from '../router';
import { t } from '../texts';
import { BotTextsForm } from './bot-texts-form';
import { BrandForm } from './brand-form';
import { Usage } from './usage';

/** The parts of the settings, each with an address of its own: the menu shows them as tabs. */
export function Settings({ section, onChanged }: { section: string | undefined; onChanged: () => void }) {
  const project = useResource(api.project, `project ${section}`);
  return (
    <>
      <Heading title={t.settings} />
      <Problem error={project.error} />
      {project.data && <Section section={section} project={project.data} onChanged={onChanged} />}
    </>
  );
}

function Section(props: { section: string | undefined; project: ProjectView; onChanged: () => void }) {
  const { section, project } = props;
  if (section === 'login-page') return <BrandForm project={project} />;
  if (section === 'usage') return <Usage project={project} />;
  if (section === 'defaults') {
    return (
      <>
        <Defaults project={project} />
        <BotTextsForm project={project} />
      </>
    );
  }
  return <General project={project} onChanged={props.onChanged} />;
}

function General({ project, onChanged }: { project: ProjectView; onChanged: () => void }) {
  const [name, setName] = useState(project.name);
  const [callback, setCallback] = useState(project.callback_url ?? '');
  const [redirects, setRedirects] = useState(project.redirect_urls.join('\n'));
  const form = useForm(['name', 'callback_url', 'redirect_urls'], async () => {
    await api.changeProject({
      name,
      callback_url: typedOrNull(callback),
      redirect_urls: typedList(redirects, '\n'),
    });
    toast(t.saved);
    onChanged();
  });
  return (
    <form class="panel settings" {...form.attributes}>
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
      <Field label={t.callbackUrl} hint={t.callbackUrlHint} error={form.problemOf('callback_url')}>
        {(attributes) => (
          <input
            {...attributes}
            type="url"
            placeholder="https://"
            value={callback}
            onInput={(event) => setCallback(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label={t.redirectUrls} hint={t.redirectUrlsHint} error={form.problemOf('redirect_urls')}>
        {(attributes) => (
          <textarea
            {...attributes}
            rows={4}
            value={redirects}
            onInput={(event) => setRedirects(event.currentTarget.value)}
          />
        )}
      </Field>
      <dl class="facts">
        <dt>{t.slug}</dt>
        <dd>
          <code>{project.slug}</code>
        </dd>
      </dl>
      <FormButtons form={form} submit={t.save} />
    </form>
  );
}

function Defaults({ project }: { project: ProjectView }) {
  const [policy, setPolicy] = useState(project.retry_policy);
  const [timezone, setTimezone] = useState(project.timezone);
  const form = useForm(['retry_policy', 'timezone'], async () => {
    await api.changeProject({ retry_policy: policy, timezone: timezone.trim() || 'UTC' });
    toast(t.saved);
  });
  return (
    <form class="panel settings" {...form.attributes}>
      <p class="hint">{t.sections.defaultsLead}</p>
      <Field label={t.defaultRetryPolicy} error={form.problemOf('retry_policy')}>
        {(attributes) => (
          <select
            {...attributes}
            value={policy}
            onChange={(event) => setPolicy(event.currentTarget.value as 'durable' | 'quick')}
          >
            <option value="durable">{t.durableLong(limits.webhookRetryHours)}</option>
            <option value="quick">{t.quickLong}</option>
          </select>
        )}
      </Field>
      <TimezoneField
        label={t.timezone}
        hint={t.timezoneHint}
        error={form.problemOf('timezone')}
        required
        value={timezone}
        onInput={setTimezone}
      />
      <FormButtons form={form} submit={t.save} />
    </form>
  );
}
