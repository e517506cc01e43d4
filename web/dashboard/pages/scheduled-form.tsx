import { limits } from '../../../src/contract/limits';
import { api, type Scheduled } from '../api';
import { Loaded, SelectField, TextField, TimezoneField, toast, useForm } from '../elements';
import { audienceDraft, audienceOf, emptyAudience } from '../message/audience';
import { contentDraft, contentOf } from '../message/content';
import {
  emptyMessage,
  MessageForm,
  STORED_PATH,
  storedFields,
  useDraft,
  type MessageDraft,
} from '../message/message-form';
import { useResource } from '../resource';
import { go } from '../router';
import { t } from '../texts';

type Zone = 'project' | 'recipient' | 'named';

interface Draft extends MessageDraft {
  name: string;
  /** As the browser's field has it: a local time without seconds. */
  at: string;
  zone: Zone;
  timezone: string;
}

const EMPTY: Draft = { ...emptyMessage, name: '', at: '', zone: 'project', timezone: '' };
const FIELDS = [...storedFields, 'scheduled_at', 'timezone'];

/** Opens a scheduled message for a change. */
export function EditScheduled({ id }: { id: string }) {
  const found = useResource(() => api.scheduledMessage(id), id);
  return <Loaded resource={found}>{(entry) => <ScheduledForm entry={entry} />}</Loaded>;
}

/** A time without a zone is a moment in UTC. */
function draftOf(entry: Scheduled): Draft {
  const zone = entry.timezone === 'recipient' ? 'recipient' : 'named';
  return {
    ...contentDraft(entry.content),
    ...(entry.audience ? audienceDraft(entry.audience) : emptyAudience),
    name: entry.name ?? '',
    // With seconds: saving must not move the time.
    at: entry.scheduled_at.slice(0, 19),
    zone,
    timezone: zone === 'named' ? (entry.timezone ?? 'UTC') : '',
  };
}

/** A message to an audience at a time, new or changed. */
export function ScheduledForm({ entry = null }: { entry?: Scheduled | null }) {
  const { draft, change, forget } = useDraft(entry ? null : 'scheduled', entry ? draftOf(entry) : EMPTY);
  const form = useForm(FIELDS, async () => {
    const name = draft.name.trim();
    const timezone = draft.zone === 'named' ? draft.timezone.trim() : draft.zone;
    const given = {
      content: contentOf(draft),
      scheduled_at: draft.at,
      ...(timezone === 'project' ? {} : { timezone }),
    };
    if (entry) {
      await api.changeScheduled(entry.scheduled_id, {
        ...given,
        name: name === '' ? null : name,
        ...(entry.audience ? { audience: audienceOf(draft) } : {}),
      });
      toast(t.saved);
    } else {
      await api.schedule({ ...given, ...(name === '' ? {} : { name }), audience: audienceOf(draft) });
      toast(t.scheduledSaved);
    }
    forget();
    go('/dashboard/scheduled');
  });
  return (
    <MessageForm
      trail={[{ to: '/dashboard/scheduled', text: t.scheduled }]}
      title={entry ? t.editScheduled : t.newScheduled}
      form={form}
      draft={draft}
      change={change}
      path={STORED_PATH}
      {...(entry && !entry.audience ? { recipient: <OneRecipient entry={entry} /> } : {})}
      submit={entry ? t.save : t.scheduleIt}
      disabled={draft.at === ''}
      before={
        <TextField
          label={t.nameOptional}
          error={form.problemOf('name')}
          maxLength={limits.nameLength}
          value={draft.name}
          onInput={(name) => change({ name })}
        />
      }
      after={
        <>
          <div class="two">
            <TextField
              label={t.sendsAt}
              error={form.problemOf('scheduled_at')}
              type="datetime-local"
              step="1"
              required
              value={draft.at}
              onInput={(at) => change({ at })}
            />
            <SelectField
              label={t.zone}
              value={draft.zone}
              onChange={(zone) => change({ zone })}
              options={[
                ...(entry ? [] : [{ value: 'project' as const, text: t.projectZone }]),
                { value: 'recipient', text: t.recipientZone },
                { value: 'named', text: t.namedZone },
              ]}
            />
          </div>
          {draft.zone === 'named' && (
            <TimezoneField
              label={t.timezone}
              error={form.problemOf('timezone')}
              required
              value={draft.timezone}
              onInput={(timezone) => change({ timezone })}
            />
          )}
        </>
      }
    />
  );
}

function OneRecipient({ entry }: { entry: Scheduled }) {
  return (
    <p class="hint">
      {t.recipient}: <code>{entry.subscriber_id ?? entry.external_id}</code>
    </p>
  );
}
