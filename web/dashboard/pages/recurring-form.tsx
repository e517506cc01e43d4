import { limits } from '../../../src/contract/limits';
import { api, type Recurring } from '../api';
import { Loaded, TextField, TimezoneField, toast, useForm } from '../elements';
import { audienceDraft, audienceOf } from '../message/audience';
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

interface Draft extends MessageDraft {
  name: string;
  cron: string;
  /** Empty: that of the project. */
  timezone: string;
  /** As the browser's fields have them: local times of this browser. */
  startAt: string;
  endAt: string;
  maxRuns: string;
}

const EMPTY: Draft = {
  ...emptyMessage,
  name: '',
  cron: '0 9 * * MON',
  timezone: '',
  startAt: '',
  endAt: '',
  maxRuns: '',
};
const FIELDS = [...storedFields, 'cron', 'timezone', 'start_at', 'end_at', 'max_runs'];

/** Opens a recurring message for a change. */
export function EditRecurring({ id }: { id: string }) {
  const found = useResource(() => api.recurringMessage(id), id);
  return <Loaded resource={found}>{(entry) => <RecurringForm entry={entry} />}</Loaded>;
}

function draftOf(entry: Recurring): Draft {
  return {
    ...contentDraft(entry.content),
    ...audienceDraft(entry.audience),
    name: entry.name,
    cron: entry.cron,
    timezone: entry.timezone,
    startAt: localTime(entry.start_at),
    endAt: localTime(entry.end_at),
    maxRuns: entry.max_runs === null ? '' : String(entry.max_runs),
  };
}

/** A time of the API as a field of this browser shows it. */
function localTime(at: string | null): string {
  if (at === null) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const orNull = (local: string) => (local === '' ? null : new Date(local).toISOString());

/** A message to an audience again and again, new or changed. */
export function RecurringForm({ entry = null }: { entry?: Recurring | null }) {
  const { draft, change, forget } = useDraft(entry ? null : 'recurring', entry ? draftOf(entry) : EMPTY);
  const form = useForm(FIELDS, async () => {
    const timezone = draft.timezone.trim();
    const given = {
      name: draft.name,
      content: contentOf(draft),
      audience: audienceOf(draft),
      cron: draft.cron,
      ...(timezone === '' ? {} : { timezone }),
    };
    const startAt = orNull(draft.startAt);
    const endAt = orNull(draft.endAt);
    const maxRuns = draft.maxRuns === '' ? null : Number(draft.maxRuns);
    if (entry) {
      await api.changeRecurring(entry.recurring_id, {
        ...given,
        start_at: startAt,
        end_at: endAt,
        max_runs: maxRuns,
      });
    } else {
      await api.createRecurring({
        ...given,
        ...(startAt === null ? {} : { start_at: startAt }),
        ...(endAt === null ? {} : { end_at: endAt }),
        ...(maxRuns === null ? {} : { max_runs: maxRuns }),
      });
    }
    forget();
    toast(t.recurringSaved);
    go(entry ? `/dashboard/recurring/${entry.recurring_id}` : '/dashboard/recurring');
  });
  return (
    <MessageForm
      trail={[{ to: '/dashboard/recurring', text: t.recurring }]}
      title={entry ? t.editRecurring : t.newRecurring}
      form={form}
      draft={draft}
      change={change}
      path={STORED_PATH}
      submit={t.save}
      disabled={draft.name.trim() === ''}
      before={
        <TextField
          label={t.name}
          error={form.problemOf('name')}
          required
          maxLength={limits.nameLength}
          value={draft.name}
          onInput={(name) => change({ name })}
        />
      }
      after={
        <>
          <div class="two">
            <TextField
              label={t.cron}
              hint={t.cronHint}
              error={form.problemOf('cron')}
              required
              maxLength={limits.cronLength}
              value={draft.cron}
              onInput={(cron) => change({ cron })}
            />
            <TimezoneField
              label={t.timezone}
              error={form.problemOf('timezone')}
              placeholder={t.projectDefault}
              value={draft.timezone}
              onInput={(timezone) => change({ timezone })}
            />
          </div>
          <details class="advanced" open={draft.startAt !== '' || draft.endAt !== '' || draft.maxRuns !== ''}>
            <summary>{t.runsBetween}</summary>
            <div class="two">
              <TextField
                label={t.startAt}
                error={form.problemOf('start_at')}
                type="datetime-local"
                value={draft.startAt}
                onInput={(startAt) => change({ startAt })}
              />
              <TextField
                label={t.endAt}
                error={form.problemOf('end_at')}
                type="datetime-local"
                value={draft.endAt}
                onInput={(endAt) => change({ endAt })}
              />
            </div>
            <TextField
              label={t.maxRuns}
              error={form.problemOf('max_runs')}
              class="short"
              type="number"
              min={1}
              value={draft.maxRuns}
              onInput={(maxRuns) => change({ maxRuns })}
            />
          </details>
        </>
      }
    />
  );
}
