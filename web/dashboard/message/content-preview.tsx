import { useEffect, useState } from 'preact/hooks';
import { api, type PreviewRequest } from '../api';
import { Problem } from '../elements';
import { messengers } from '../messengers';
import { useResource, useSettled } from '../resource';
import { t } from '../texts';
import { buttonsOf, contentOf, isPersonal, type ContentDraft } from './content';
import { PhonePreview } from './phone-preview';

/** The message as the phone shows it, in each of the channels: all of them by default. */
export function ContentPreview(props: { draft: ContentDraft; channels?: readonly string[] | undefined }) {
  const { draft, channels = messengers().map(({ channel }) => channel) } = props;
  if (draft.template !== '') {
    return <TemplatePreview channel={channels[0] ?? ''} request={templateRequest(draft)} />;
  }
  if (isPersonal(draft)) {
    const content = contentOf(draft);
    return (
      <>
        {channels.map((channel) => (
          <TemplatePreview key={channel} channel={channel} request={{ content }} />
        ))}
      </>
    );
  }
  return (
    <>
      {channels.map((channel) => (
        <PhonePreview
          key={channel}
          channel={channel}
          text={draft.text}
          format={draft.format}
          media={draft.mediaType}
          buttons={buttonsOf(draft.buttons)}
        />
      ))}
    </>
  );
}

function templateRequest({ template, vars }: ContentDraft): PreviewRequest {
  const given = Object.entries(vars).filter(([, value]) => value !== '');
  return { key: template, vars: Object.fromEntries(given) };
}

/** A template as the API renders it, shortly after the last change, so that it shows what a message would show. */
export function TemplatePreview(props: { channel: string; request: PreviewRequest; label?: string }) {
  const wanted = JSON.stringify(props.request);
  const settled = useSettled(wanted);
  const shown = useResource(() => previewed(JSON.parse(settled) as PreviewRequest), settled);
  // While the next one is on its way, the last one stays.
  const [last, setLast] = useState(shown.data);
  useEffect(() => {
    if (shown.data) setLast(shown.data);
  }, [shown.data]);
  const data = shown.data ?? last;
  return (
    <section aria-label={props.label ?? t.preview}>
      {/* What differs between two previews of a template is the language, not the messenger. */}
      {props.label && <h3>{props.label}</h3>}
      <PhonePreview
        channel={props.channel}
        text={data?.text ?? ''}
        format={data?.format ?? 'plain'}
        media={data?.media?.type ?? ''}
        buttons={data?.buttons ?? []}
      />
      <Problem error={shown.error} />
      {data && data.missing.length > 0 && <p class="hint">{t.templateNeeds(data.missing.join(', '))}</p>}
    </section>
  );
}

/** What a message must bring is shown by its name in braces, where it will stand. */
async function previewed(request: PreviewRequest) {
  const first = await api.previewTemplate(request);
  const names = first.missing.filter((name) => !name.includes('.'));
  if (names.length === 0) return first;
  const stand = Object.fromEntries(names.map((name) => [name, `{${name}}`]));
  const second = await api.previewTemplate({ ...request, vars: { ...request.vars, ...stand } });
  return { ...second, missing: first.missing };
}
