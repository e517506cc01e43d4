import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { api, type Recurring, type Scheduled } from '../api';
import { Crumbs, FieldError, FormButtons, Loaded, TextField, toast, useForm } from '../elements';
import {
  AudienceEditor,
  audienceDraft,
  audienceFields,
  audienceOf,
  audienceText,
  refuseUnfinished,
} from '../message/audience';
import {
  contentDraft,
  contentFields,
  contentOf,
  emptyContent,
  isEmptyContent,
  type ContentDraft,
} from '../message/content';
import { ContentEditor } from '../message/content-editor';
import { DraftKeeper, useDraft } from '../message/drafts';
import { MessagePreview, type Person } from '../message/message-preview';
import { personText } from '../message/people';
import { emptyRecipients, personOf, RecipientsEditor, type RecipientsDraft } from '../message/recipients';
import { cronOf, repeatOf } from '../message/repeat';
import { Review } from '../message/review';
import {
  datesOf,
  emptyWhen,
  timezoneOf,
  WhenEditor,
  whenFields,
  whenProblem,
  whenText,
  type When,
  type WhenDraft,
} from '../message/when';
import { pageTexts } from '../page-texts';
import { PersonLink, useSubscribers } from '../people';
import { useResource } from '../resource';
import { go, Heading, replacePath } from '../router';
import { t } from '../texts';

type Draft = ContentDraft & RecipientsDraft & WhenDraft & { name: string };

const EMPTY: Draft = { ...emptyContent, ...emptyRecipients, ...emptyWhen, name: '' };

/** The same field is named by itself in a broadcast, and below `content` or `audience` in what is stored. */
const FIELDS = [
  ...contentFields.flatMap((field) => [field, `content.${field}`]),
  ...audienceFields.flatMap((field) => [field, `audience.${field}`]),
  ...whenFields,
  'name',
  'subscriber_id',
];

/** A stored message that is being changed. */
type Stored = { kind: 'scheduled'; entry: Scheduled } | { kind: 'recurring'; entry: Recurring };

/**
 * Writes a message to an audience or one person, to be sent now, at a time or repeatedly. A link can name the person:
 * `?to=<subscriber_id>`.
 */
export function Composer({ when }: { when: When }) {
  const [to] = useState(() => new URLSearchParams(location.search).get('to'));
  return to ? <ComposerTo when={when} id={to} /> : <MessageComposer when={when} stored={null} />;
}

function ComposerTo({ when, id }: { when: When; id: string }) {
  const found = useResource(() => api.subscriber(id), id);
  return (
    <Loaded resource={found}>
      {(subscriber) => <MessageComposer when={when} stored={null} person={personOf(subscriber)} />}
    </Loaded>
  );
}

export function EditScheduled({ id }: { id: string }) {
  const found = useResource(() => api.scheduledMessage(id), id);
  return (
    <Loaded resource={found}>
      {(entry) => <MessageComposer when="at" stored={{ kind: 'scheduled', entry }} />}
    </Loaded>
  );
}

export function EditRecurring({ id }: { id: string }) {
  const found = useResource(() => api.recurringMessage(id), id);
  return (
    <Loaded resource={found}>
      {(entry) => <MessageComposer when="repeat" stored={{ kind: 'recurring', entry }} />}
    </Loaded>
  );
}

function draftOf(stored: Stored): Draft {
  const { entry } = stored;
  const common = {
    ...EMPTY,
    ...contentDraft(entry.content),
    ...(entry.audience ? audienceDraft(entry.audience) : {}),
    name: entry.name ?? '',
  };
  if (stored.kind === 'recurring') {
    const { cron, timezone, start_at, end_at, max_runs } = stored.entry;
    return {
      ...common,
      ...repeatOf(cron),
      when: 'repeat',
      zone: 'named',
      timezone,
      startAt: localTime(start_at),
      endAt: localTime(end_at),
      maxRuns: max_runs === null ? '' : String(max_runs),
    };
  }
  const { scheduled_at, timezone, audience } = stored.entry;
  const isRecipients = timezone === 'recipient';
  return {
    ...common,
    to: audience ? 'audience' : 'person',
    when: 'at',
    // Saving must not move the time: seconds stay where there are some. A time without a zone is a moment in UTC.
    at: scheduled_at.slice(0, scheduled_at.slice(17, 19) === '00' ? 16 : 19),
    zone: isRecipients ? 'recipient' : 'named',
    timezone: isRecipients ? '' : (timezone ?? 'UTC'),
  };
}

/** A time of the API as a field of this browser shows it. Saving must not move it: parts of a minute stay. */
function localTime(at: string | null): string {
  if (at === null) return '';
  const date = new Date(at);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString();
  return local.replace(/(:00)?\.000Z$|Z$/, '');
}

const orNull = (local: string) => (local === '' ? null : new Date(local).toISOString());

/** Where the message will be found, by when it is sent. */
const places = {
  now: () => ({ to: '/dashboard/broadcasts', text: t.broadcasts, title: t.newBroadcast }),
  at: () => ({ to: '/dashboard/scheduled', text: t.scheduled, title: t.newScheduled }),
  repeat: () => ({ to: '/dashboard/recurring', text: t.recurring, title: t.newRecurring }),
};

function MessageComposer(props: {
  when: When;
  stored: Stored | null;
  /** Named by the link: a message to them is a draft of its own, and a broadcast that is being written stays. */
  person?: Person;
}) {
  const { when, stored, person } = props;
  // Not by version: each run of a recurring message changes it.
  const name = stored
    ? `${stored.kind}.${idOf(stored)}`
    : person
      ? `person.${person.subscriber_id}`
      : 'message';
  const kept = useDraft<Draft>(
    name,
    stored ? draftOf(stored) : person ? { ...EMPTY, to: 'person', person } : EMPTY,
  );
  const { change } = kept;
  // The address says when; a recurring message has an audience.
  const draft: Draft = { ...kept.draft, when, to: when === 'repeat' ? 'audience' : kept.draft.to };
  const project = useResource(api.project, 'project');
  const projectZone = project.data?.timezone ?? 'UTC';
  const [review, setReview] = useState<{ count: number | null } | null>(null);
  const isOne = draft.to === 'person';
  const form = useForm(FIELDS, async () => {
    if (!isOne) refuseUnfinished(draft);
    if (stored) {
      await save(stored, draft, projectZone);
      kept.forget();
      toast(stored.kind === 'recurring' ? t.recurringSaved : t.saved);
      go(stored.kind === 'recurring' ? `/dashboard/recurring/${idOf(stored)}` : '/dashboard/scheduled');
    } else {
      setReview({ count: await check(draft, projectZone) });
    }
  });
  const edit = (part: Partial<Draft>) => {
    form.touch();
    // The fault of a cron expression that is no longer used.
    if (part.every) form.forget();
    change(part);
    const next = part.when ?? (part.to === 'person' && when === 'repeat' ? 'now' : when);
    if (next !== when) replacePath(`${places[next]().to}/new${location.search}`);
  };
  const place = places[draft.when]();
  const newTitle = isOne && draft.when === 'now' ? pageTexts().newMessage : place.title;
  const problemIn = (path: string) => (field: string) =>
    form.problemOf(field) ?? form.problemOf(`${path}.${field}`);
  return (
    <>
      <Crumbs trail={[place]} />
      <Heading
        title={stored ? (stored.kind === 'recurring' ? t.editRecurring : t.editScheduled) : newTitle}
      />
      <DraftKeeper kept={kept} />
      <form class="composer" {...form.attributes}>
        <div class="panel compose-message">
          {draft.when !== 'now' && (
            <TextField
              label={draft.when === 'repeat' ? t.name : t.nameOptional}
              error={form.problemOf('name')}
              required={draft.when === 'repeat'}
              maxLength={limits.nameLength}
              value={draft.name}
              onInput={(name) => edit({ name })}
            />
          )}
          <ContentEditor draft={draft} change={edit} problemOf={problemIn('content')} />
        </div>
        <div class="previews">
          <MessagePreview
            draft={draft}
            channel={isOne ? '' : draft.channel}
            person={isOne ? draft.person : null}
            tag={draft.tagsAll[0] ?? ''}
            change={edit}
            buttonsError={problemIn('content')('buttons')}
            canTest
          />
        </div>
        <div class="compose-rest">
          <section class="panel" aria-labelledby="recipients-title">
            <h2 id="recipients-title">{t.recipients}</h2>
            {stored?.kind === 'scheduled' && !stored.entry.audience ? (
              <StoredRecipient entry={stored.entry} />
            ) : stored ? (
              <AudienceEditor draft={draft} change={edit} problemOf={problemIn('audience')} />
            ) : (
              <RecipientsEditor draft={draft} change={edit} problemOf={problemIn('audience')} />
            )}
          </section>
          <section class="panel" aria-labelledby="when-title">
            <h2 id="when-title">{t.when}</h2>
            <WhenEditor
              draft={draft}
              change={edit}
              problemOf={form.problemOf}
              projectZone={projectZone}
              onePerson={isOne && !stored}
              choices={stored ? [when] : isOne ? ['now', 'at'] : ['now', 'at', 'repeat']}
            />
          </section>
          <FormButtons
            form={form}
            submit={stored ? t.save : t.reviewBefore[draft.when]}
            blocked={missingOf(draft)}
          />
        </div>
      </form>
      {review && (
        <Review
          title={titleOf(draft, review.count)}
          confirm={t.confirmWhen[draft.when]}
          draft={draft}
          channel={isOne ? '' : draft.channel}
          tag={draft.tagsAll[0] ?? ''}
          person={isOne ? draft.person : null}
          recipients={isOne && draft.person ? personText(draft.person) : audienceText(audienceOf(draft))}
          count={review.count}
          when={whenText(draft, projectZone)}
          dates={datesOf(draft, projectZone)}
          warning={draft.when === 'now' ? t.sendBroadcastText : null}
          act={async () => {
            const done = await send(draft);
            kept.forget();
            toast(done.text);
            go(done.to);
          }}
          onClose={() => setReview(null)}
        />
      )}
    </>
  );
}

/** The first field that is required and empty, as a sentence. */
function missingOf(draft: Draft): string | null {
  if (draft.when === 'repeat' && draft.name.trim() === '') return pageTexts().nameMissing;
  return isEmptyContent(draft) ? t.textMissing : null;
}

const idOf = (stored: Stored) =>
  stored.kind === 'recurring' ? stored.entry.recurring_id : stored.entry.scheduled_id;

/** The one recipient of a scheduled message, who stays the same. */
function StoredRecipient({ entry }: { entry: Scheduled }) {
  const { subscriber_id: id, external_id: externalId } = entry;
  const known = useSubscribers([id]);
  return (
    <p class="hint">
      {t.recipient}: {id === null ? <code>{externalId}</code> : <PersonLink id={id} known={known} />}
    </p>
  );
}

function titleOf(draft: Draft, count: number | null): string {
  if (draft.to === 'person') return t.reviewOneTitles[draft.when](draft.person?.first_name ?? '');
  return t.reviewTitles[draft.when](count ?? 0);
}

/** Refuses what cannot be sent before it is reviewed. Returns the size of an audience. */
async function check(draft: Draft, projectZone: string): Promise<number | null> {
  const wrong = whenProblem(draft, projectZone);
  if (wrong) throw new FieldError(wrong.field, wrong.text);
  if (draft.to === 'person') {
    const { person } = draft;
    if (!person) throw new FieldError('subscriber_id', t.choosePerson);
    const { missing } = await api.previewTemplate({
      content: contentOf(draft),
      subscriber_id: person.subscriber_id,
    });
    if (missing.length > 0) throw new FieldError('vars', t.templateNeeds(missing.join(', ')));
    return null;
  }
  return (await api.broadcast({ ...broadcastOf(draft), dry_run: true })).total_subscribers;
}

function broadcastOf(draft: Draft) {
  const { perMinute } = draft;
  return {
    ...contentOf(draft),
    ...audienceOf(draft),
    ...(perMinute.trim() === '' ? {} : { messages_per_minute: Number(perMinute) }),
  };
}

function recurringOf(draft: Draft) {
  return {
    name: draft.name,
    content: contentOf(draft),
    audience: audienceOf(draft),
    cron: cronOf(draft),
    ...timezoneOf(draft),
  };
}

/** Sends, schedules or starts the message. Returns what to say, and where to go. */
async function send(draft: Draft): Promise<{ text: string; to: string }> {
  const person = draft.to === 'person' ? draft.person : null;
  const name = draft.name.trim();
  if (draft.when === 'repeat') {
    const startAt = orNull(draft.startAt);
    const endAt = orNull(draft.endAt);
    await api.createRecurring({
      ...recurringOf(draft),
      ...(startAt === null ? {} : { start_at: startAt }),
      ...(endAt === null ? {} : { end_at: endAt }),
      ...(draft.maxRuns === '' ? {} : { max_runs: Number(draft.maxRuns) }),
    });
    return { text: t.recurringSaved, to: '/dashboard/recurring' };
  }
  if (draft.when === 'at') {
    await api.schedule({
      content: contentOf(draft),
      scheduled_at: draft.at,
      ...timezoneOf(draft),
      ...(name === '' ? {} : { name }),
      ...(person ? { subscriber_id: person.subscriber_id } : { audience: audienceOf(draft) }),
    });
    return { text: t.scheduledSaved, to: '/dashboard/scheduled' };
  }
  if (person) {
    const { details } = await api.send({ subscriber_id: person.subscriber_id, ...contentOf(draft) });
    const [detail] = details;
    if (detail && detail.status !== 'sent') {
      throw new Error(t.notSent(t.sendReasons[detail.reason ?? 'unknown']));
    }
    return { text: t.sentTo(person.first_name), to: `/dashboard/subscribers/${person.subscriber_id}` };
  }
  const { job_id } = await api.broadcast(broadcastOf(draft));
  return { text: t.broadcastStarted, to: `/dashboard/broadcasts/${job_id}` };
}

async function save(stored: Stored, draft: Draft, projectZone: string): Promise<void> {
  // A change without a zone would keep the one before.
  const zone = draft.zone === 'project' ? { timezone: projectZone } : timezoneOf(draft);
  if (stored.kind === 'recurring') {
    await api.changeRecurring(stored.entry.recurring_id, {
      ...recurringOf(draft),
      ...zone,
      start_at: orNull(draft.startAt),
      end_at: orNull(draft.endAt),
      max_runs: draft.maxRuns === '' ? null : Number(draft.maxRuns),
    });
    return;
  }
  const name = draft.name.trim();
  await api.changeScheduled(stored.entry.scheduled_id, {
    content: contentOf(draft),
    scheduled_at: draft.at,
    ...zone,
    name: name === '' ? null : name,
    ...(stored.entry.audience ? { audience: audienceOf(draft) } : {}),
  });
}
