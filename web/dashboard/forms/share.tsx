import { useState } from 'preact/hooks';
import { can } from '../access';
import { CodeBlock, Copyable, MessengerIcon } from '../elements';
import { QrCode } from '../elements/qr-code';
import { Switch } from '../message/message-preview';
import { messengerLinks } from '../messengers';
import { Link } from '../router';
import { t } from '../texts';
import type { FormView } from './api';
import { plainSnippet, scriptSnippet } from './snippet';
import { words } from './texts';

/** Where people can answer: the page, the bots, the project's own site. */
export function Share({ form }: { form: FormView }) {
  const w = words();
  const bots = messengerLinks(form);
  return (
    <>
      <div class="share-panels">
        <section class="panel" aria-labelledby="share-page">
          <h2 id="share-page">{w.hostedPage}</h2>
          <p class="hint">{form.captcha ? w.hostedClosed : w.hostedHint}</p>
          <ShareLink name={w.hostedPage} link={form.hosted_url} />
        </section>
        <section class="panel" aria-labelledby="share-bots">
          <h2 id="share-bots">{w.inBot}</h2>
          <p class="hint">{bots.length === 0 ? w.noBots : w.inBotHint}</p>
          {bots.map(({ channel, name, link }) => (
            <ShareLink key={channel} name={name} channel={channel} link={link} />
          ))}
        </section>
      </div>
      <Embed form={form} />
    </>
  );
}

function ShareLink({ name, channel, link }: { name: string; channel?: string; link: string }) {
  const w = words();
  return (
    <div class="share-link">
      <p>
        {channel && (
          <>
            <MessengerIcon channel={channel} /> <span class="visually-hidden">{name}</span>
          </>
        )}{' '}
        <Copyable text={link} label={t.copyLink} />
      </p>
      <details>
        <summary>
          {w.showCode}
          <span class="visually-hidden"> {name}</span>
        </summary>
        <QrCode text={link} label={w.qrAlt(name)} />
      </details>
    </div>
  );
}

function Embed({ form }: { form: FormView }) {
  const w = words();
  const [kind, setKind] = useState<'plain' | 'script'>(form.min_seconds > 0 ? 'script' : 'plain');
  return (
    <section class="panel" aria-labelledby="share-site">
      <h2 id="share-site">{w.onSite}</h2>
      {form.allowed_origins.length === 0 ? (
        <p class="note">
          {w.noOrigins} {can('manage') && <Link to={`/dashboard/forms/${form.form_id}/edit`}>{t.edit}</Link>}
        </p>
      ) : (
        <p class="hint">{w.onSiteHint}</p>
      )}
      {form.min_seconds === 0 && (
        <Switch
          label={w.snippetKind}
          value={kind}
          options={[
            { value: 'plain', text: w.plainHtml },
            { value: 'script', text: w.withScript },
          ]}
          onChange={setKind}
        />
      )}
      <CodeBlock code={kind === 'plain' ? plainSnippet(form) : scriptSnippet(form)} label={w.copySnippet} />
    </section>
  );
}
