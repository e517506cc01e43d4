import { useEffect, useState } from 'preact/hooks';
import { limits, MIB } from '../../../src/contract/limits';
import { api, type NewBroadcast, type Subscriber } from '../api';
import { ActionButton, ConfirmDialog, Crumbs, Field, Icon, Problem, toast, useForm } from '../elements';
import { number, typedList } from '../format';
import { useResource } from '../resource';
import { go, Heading } from '../router';
import { t } from '../texts';
import { PhonePreview } from './phone-preview';

const DRAFT = 'herald.broadcast-draft';
const COUNT_MS = 400;

interface Draft {
  text: string;
  format: 'plain' | 'markdown' | 'html';
  mediaType: 'photo' | 'video' | 'document' | '';
  mediaUrl: string;
  channel: '' | 'telegram' | 'max';
  tagsAll: string;
  tagsAny: string;
  excludeTags: string;
  permission: string;
  perMinute: string;
  buttonText: string;
  buttonUrl: string;
}

const EMPTY: Draft = {
  text: '',
  format: 'plain',
  mediaType: '',
  mediaUrl: '',
  channel: '',
  tagsAll: '',
  tagsAny: '',
  excludeTags: '',
  permission: '',
  perMinute: '',
  buttonText: '',
  buttonUrl: '',
};

/** Kept in this tab, so that neither Back nor a reload loses it. */
function storedDraft(): Draft {
  try {
    return { ...EMPTY, ...(JSON.parse(sessionStorage.getItem(DRAFT) ?? '{}') as Partial<Draft>) };
  } catch {
    return EMPTY;
  }
}

function storeDraft(draft: Draft | null): void {
  try {
    if (draft === null) sessionStorage.removeItem(DRAFT);
    else sessionStorage.setItem(DRAFT, JSON.stringify(draft));
  } catch {
    // A browser that stores nothing: the draft lasts as long as the page.
  }
}

const FIELDS = [
  'text',
  'media',
  'buttons',
  'channel',
  'tags_all',
  'tags_any',
  'exclude_tags',
  'permission',
  'messages_per_minute',
];

function contentOf(draft: Draft): Pick<NewBroadcast, 'text' | 'format' | 'buttons' | 'media'> {
  const button =
    draft.buttonText.trim() === '' && draft.buttonUrl.trim() === ''
      ? []
      : [[{ text: draft.buttonText.trim(), url: draft.buttonUrl.trim() }]];
  return {
    text: draft.text,
    format: draft.format,
    buttons: button,
    ...(draft.mediaType === '' ? {} : { media: { type: draft.mediaType, url: draft.mediaUrl.trim() } }),
  };
}

function audienceOf(
  draft: Draft,
): Pick<NewBroadcast, 'channel' | 'tags_all' | 'tags_any' | 'exclude_tags' | 'permission'> {
  return {
    ...(draft.channel === '' ? {} : { channel: draft.channel }),
    ...(draft.permission.trim() === '' ? {} : { permission: draft.permission.trim() }),
    tags_all: typedList(draft.tagsAll, ','),
    tags_any: typedList(draft.tagsAny, ','),
    exclude_tags: typedList(draft.excludeTags, ','),
  };
}

function paceOf({ perMinute }: Draft): Pick<NewBroadcast, 'messages_per_minute'> {
  return perMinute.trim() === '' ? {} : { messages_per_minute: Number(perMinute) };
}

/** Writes a broadcast: text and audience on the left, how the phone shows it on the right. */
export function Composer() {
  const [draft, setDraft] = useState(storedDraft);
  const [confirming, setConfirming] = useState<number | null>(null);
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  useEffect(() => storeDraft(draft), [draft]);
  const form = useForm(FIELDS, async () => {
    const counted = await api.broadcast({
      ...contentOf(draft),
      ...audienceOf(draft),
      ...paceOf(draft),
      dry_run: true,
    });
    setConfirming(counted.total_subscribers);
  });
  return (
    <>
      <Crumbs trail={[{ to: '/dashboard/broadcasts', text: t.broadcasts }]} />
      <Heading title={t.newBroadcast} />
      <div class="composer">
        <form class="panel" {...form.attributes}>
          <Field
            label={t.messageText}
            hint={t.textLength(number(draft.text.length), number(limits.messageTextLength))}
            error={form.problemOf('text')}
          >
            {(attributes) => (
              <textarea
                {...attributes}
                class="prose"
                rows={7}
                required
                maxLength={limits.messageTextLength}
                value={draft.text}
                onInput={(event) => change({ text: event.currentTarget.value })}
              />
            )}
          </Field>
          <Field label={t.textFormat}>
            {(attributes) => (
              <select
                {...attributes}
                value={draft.format}
                onChange={(event) => change({ format: event.currentTarget.value as Draft['format'] })}
              >
                <option value="plain">{t.formatPlain}</option>
                <option value="markdown">Markdown</option>
                <option value="html">HTML</option>
              </select>
            )}
          </Field>
          <MediaFields draft={draft} change={change} error={form.problemOf('media')} />
          <div class="two">
            <Field label={t.buttonText} error={form.problemOf('buttons')}>
              {(attributes) => (
                <input
                  {...attributes}
                  maxLength={limits.buttonTextLength}
                  value={draft.buttonText}
                  onInput={(event) => change({ buttonText: event.currentTarget.value })}
                />
              )}
            </Field>
            <Field label={t.buttonUrl}>
              {(attributes) => (
                <input
                  {...attributes}
                  type="url"
                  placeholder="https://"
                  value={draft.buttonUrl}
                  onInput={(event) => change({ buttonUrl: event.currentTarget.value })}
                />
              )}
            </Field>
          </div>
          <fieldset>
            <legend>{t.audience}</legend>
            <Field label={t.channel} error={form.problemOf('channel')}>
              {(attributes) => (
                <select
                  {...attributes}
                  value={draft.channel}
                  onChange={(event) => change({ channel: event.currentTarget.value as Draft['channel'] })}
                >
                  <option value="">{t.allChannels}</option>
                  <option value="telegram">Telegram</option>
                  <option value="max">MAX</option>
                </select>
              )}
            </Field>
            <Field label={t.withTags} hint={t.separateWithCommas} error={form.problemOf('tags_all')}>
              {(attributes) => (
                <input
                  {...attributes}
                  value={draft.tagsAll}
                  onInput={(event) => change({ tagsAll: event.currentTarget.value })}
                />
              )}
            </Field>
            <Field label={t.withAnyTag} hint={t.separateWithCommas} error={form.problemOf('tags_any')}>
              {(attributes) => (
                <input
                  {...attributes}
                  value={draft.tagsAny}
                  onInput={(event) => change({ tagsAny: event.currentTarget.value })}
                />
              )}
            </Field>
            <Field label={t.withoutTags} hint={t.separateWithCommas} error={form.problemOf('exclude_tags')}>
              {(attributes) => (
                <input
                  {...attributes}
                  value={draft.excludeTags}
                  onInput={(event) => change({ excludeTags: event.currentTarget.value })}
                />
              )}
            </Field>
            <Field label={t.withPermission} error={form.problemOf('permission')}>
              {(attributes) => (
                <input
                  {...attributes}
                  maxLength={limits.tagLength}
                  value={draft.permission}
                  onInput={(event) => change({ permission: event.currentTarget.value })}
                />
              )}
            </Field>
            <AudienceCount draft={draft} />
          </fieldset>
          <Field
            label={t.perMinute}
            hint={t.perMinuteHint(number(limits.broadcastMessagesPerMinute))}
            error={form.problemOf('messages_per_minute')}
          >
            {(attributes) => (
              <input
                {...attributes}
                class="short"
                type="number"
                min={1}
                max={limits.broadcastMessagesPerMinute}
                value={draft.perMinute}
                onInput={(event) => change({ perMinute: event.currentTarget.value })}
              />
            )}
          </Field>
          <Problem error={form.error} />
          <p class="buttons end">
            <button type="submit" class="btn primary" disabled={form.busy || draft.text.trim() === ''}>
              {t.reviewAndSend}
            </button>
          </p>
        </form>
        <div class="previews">
          {(draft.channel === '' ? (['telegram', 'max'] as const) : [draft.channel]).map((channel) => (
            <PhonePreview
              key={channel}
              channel={channel}
              text={draft.text}
              format={draft.format}
              media={draft.mediaType}
              button={draft.buttonText}
            />
          ))}
          <TestSend draft={draft} />
        </div>
      </div>
      {confirming !== null && (
        <ConfirmDialog
          title={t.sendBroadcastTitle(confirming)}
          text={t.sendBroadcastText}
          confirm={t.sendNow}
          dismiss={t.goBack}
          kind="primary"
          act={async () => {
            await api.broadcast({ ...contentOf(draft), ...audienceOf(draft), ...paceOf(draft) });
            storeDraft(null);
            toast(t.broadcastStarted);
            go('/dashboard/broadcasts');
          }}
          onClose={() => setConfirming(null)}
        />
      )}
    </>
  );
}

/** A photo, video or document that the messenger or Herald fetches by its address. */
function MediaFields(props: { draft: Draft; change: (part: Partial<Draft>) => void; error: string | null }) {
  const { draft, change } = props;
  return (
    <div class="two">
      <Field label={t.media}>
        {(attributes) => (
          <select
            {...attributes}
            value={draft.mediaType}
            onChange={(event) => change({ mediaType: event.currentTarget.value as Draft['mediaType'] })}
          >
            <option value="">{t.noMedia}</option>
            <option value="photo">{t.mediaTypes.photo}</option>
            <option value="video">{t.mediaTypes.video}</option>
            <option value="document">{t.mediaTypes.document}</option>
          </select>
        )}
      </Field>
      {draft.mediaType !== '' && (
        <Field
          label={t.mediaUrl}
          hint={t.mediaHint(
            (draft.mediaType === 'photo' ? limits.photoBytes : limits.videoOrDocumentBytes) / MIB,
          )}
          error={props.error}
        >
          {(attributes) => (
            <input
              {...attributes}
              type="url"
              required
              placeholder="https://"
              maxLength={limits.urlLength}
              value={draft.mediaUrl}
              onInput={(event) => change({ mediaUrl: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
    </div>
  );
}

/** How many subscribers the audience has, counted by the API shortly after the last change. */
function AudienceCount({ draft }: { draft: Draft }) {
  const wanted = JSON.stringify(audienceOf(draft));
  const [settled, setSettled] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(wanted), COUNT_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const counted = useResource(
    () =>
      api.broadcast({
        text: 'count',
        ...(JSON.parse(settled) as ReturnType<typeof audienceOf>),
        dry_run: true,
      }),
    settled,
  );
  return (
    <p class="audience" role="status">
      <Icon name="users" small />{' '}
      {counted.error ? '–' : counted.data ? t.audienceCount(counted.data.total_subscribers) : t.counting}
    </p>
  );
}

/** Sends the draft to one subscriber by the same path as any message. */
function TestSend({ draft }: { draft: Draft }) {
  const [name, setName] = useState('');
  const [error, setError] = useState<Error | null>(null);
  const matches = useResource(
    async () =>
      name.trim().length < 2
        ? { data: [] as Subscriber[] }
        : api.subscribers({ q: name.trim(), channel: '', active: 'true', tag: '', cursor: null }),
    name.trim(),
  );
  const send = (subscriber: Subscriber) => async () => {
    const result = await api.send({ subscriber_id: subscriber.subscriber_id, ...contentOf(draft) });
    const [detail] = result.details;
    if (detail?.status === 'failed') throw new Error(t.testFailed(t.sendReasons[detail.reason ?? 'unknown']));
    toast(t.testSent(subscriber.first_name));
  };
  return (
    <section class="panel" aria-labelledby="test-title">
      <h2 id="test-title">{t.testMessage}</h2>
      <Field label={t.testRecipient} hint={t.testRecipientHint}>
        {(attributes) => (
          <input
            {...attributes}
            type="search"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <Problem error={error} />
      <ul class="matches">
        {(matches.data?.data ?? []).slice(0, 5).map((subscriber) => (
          <li key={subscriber.subscriber_id}>
            <span class="clip">
              {subscriber.first_name} {subscriber.username && `@${subscriber.username}`}
            </span>
            <ActionButton small disabled={draft.text.trim() === ''} act={send(subscriber)} onError={setError}>
              {t.sendTestMessage}
            </ActionButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
