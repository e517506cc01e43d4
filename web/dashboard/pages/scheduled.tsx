import { useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { api, type Scheduled } from '../api';
import {
  Badge,
  Cell,
  ConfirmDialog,
  Crumbs,
  Empty,
  Field,
  Icon,
  None,
  Pager,
  Problem,
  Select,
  Table,
  Time,
  toast,
  useForm,
} from '../elements';
import { typedList } from '../format';
import { useResource } from '../resource';
import { go, Heading, Link, useFilters, usePages } from '../router';
import { scheduledState } from '../states';
import { t } from '../texts';
import { PhonePreview } from './phone-preview';

const REFRESH_MS = 5_000;

export function ScheduledPage({ isComposing }: { isComposing: boolean }) {
  return isComposing ? <NewScheduled /> : <ScheduledList />;
}

function ScheduledList() {
  const pages = usePages();
  const filters = useFilters(['status'] as const);
  const { status } = filters.values;
  const [cancelling, setCancelling] = useState<Scheduled | null>(null);
  const found = useResource(
    () => api.scheduled({ status, cursor: pages.cursor }),
    `${status} ${pages.cursor ?? ''}`,
    REFRESH_MS,
  );
  const list = found.data?.data;
  return (
    <>
      <div class="heading">
        <Heading title={t.scheduled} />
        <Link to="/dashboard/scheduled/new" class="btn primary">
          <Icon name="plus" small /> {t.newScheduled}
        </Link>
      </div>
      <p class="lead">{t.scheduledLead}</p>
      <div class="filters">
        <Select
          label={t.status}
          value={status}
          onChange={(value) => filters.set('status', value)}
          options={[
            { value: '', text: t.any },
            ...Object.entries(t.scheduledStates).map(([value, text]) => ({ value, text })),
          ]}
        />
      </div>
      <Problem error={found.error} />
      {list?.length === 0 && <Empty icon="calendar" title={t.noScheduled} text={t.noScheduledText} />}
      {list && list.length > 0 && (
        <Table label={t.scheduled} columns={[t.message, t.recipient, t.sendsAt, t.status, `!${t.actions}`]}>
          {list.map((entry) => (
            <Row key={entry.scheduled_id} entry={entry} onCancel={() => setCancelling(entry)} />
          ))}
        </Table>
      )}
      <Pager pages={pages} next={found.data?.next_cursor ?? null} />
      {cancelling && (
        <ConfirmDialog
          title={t.cancelScheduledTitle}
          text={t.cancelScheduledText}
          confirm={t.cancelScheduled}
          dismiss={t.goBack}
          act={() => api.cancelScheduled(cancelling.scheduled_id).then(found.reload)}
          onClose={() => setCancelling(null)}
        />
      )}
    </>
  );
}

function Row({ entry, onCancel }: { entry: Scheduled; onCancel: () => void }) {
  const state = scheduledState(entry);
  const { template, text = '' } = entry.content;
  return (
    <tr>
      <Cell label={t.message}>
        <span class="clip">{entry.name ?? template ?? text}</span>
      </Cell>
      <Cell label={t.recipient}>
        {entry.audience ? (
          t.audience
        ) : entry.subscriber_id ? (
          <Link to={`/dashboard/subscribers/${entry.subscriber_id}`}>{t.subscriber}</Link>
        ) : (
          (entry.external_id ?? <None />)
        )}
      </Cell>
      <Cell label={t.sendsAt}>
        <Time at={entry.next_at ?? entry.ended_at} />
        {entry.timezone === 'recipient' && <span class="hint"> {t.inOwnZone}</span>}
      </Cell>
      <Cell label={t.status}>
        <Badge tone={state.tone}>{state.text}</Badge>
      </Cell>
      <Cell label={t.actions}>
        {entry.status === 'scheduled' && (
          <button type="button" class="btn small" onClick={onCancel}>
            {t.cancelShort}
          </button>
        )}
      </Cell>
    </tr>
  );
}

/** A broadcast to everybody with some tags, at a time. */
function NewScheduled() {
  const [text, setText] = useState('');
  const [name, setName] = useState('');
  const [at, setAt] = useState('');
  const [zone, setZone] = useState<'project' | 'recipient'>('project');
  const [tags, setTags] = useState('');
  const form = useForm(['name', 'content', 'content.text', 'scheduled_at', 'audience'], async () => {
    await api.schedule({
      ...(name.trim() === '' ? {} : { name: name.trim() }),
      content: { text },
      audience: {
        tags_all: typedList(tags, ','),
      },
      scheduled_at: at,
      ...(zone === 'recipient' ? { timezone: 'recipient' } : {}),
    });
    toast(t.scheduledSaved);
    go('/dashboard/scheduled');
  });
  return (
    <>
      <Crumbs trail={[{ to: '/dashboard/scheduled', text: t.scheduled }]} />
      <Heading title={t.newScheduled} />
      <div class="composer">
        <form class="panel" {...form.attributes}>
          <Field label={t.nameOptional} error={form.problemOf('name')}>
            {(attributes) => (
              <input
                {...attributes}
                maxLength={limits.nameLength}
                value={name}
                onInput={(event) => setName(event.currentTarget.value)}
              />
            )}
          </Field>
          <Field label={t.messageText} error={form.problemOf('content.text')}>
            {(attributes) => (
              <textarea
                {...attributes}
                class="prose"
                rows={6}
                required
                maxLength={limits.messageTextLength}
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
              />
            )}
          </Field>
          <div class="two">
            <Field label={t.sendsAt} error={form.problemOf('scheduled_at')}>
              {(attributes) => (
                <input
                  {...attributes}
                  type="datetime-local"
                  required
                  value={at}
                  onInput={(event) => setAt(event.currentTarget.value)}
                />
              )}
            </Field>
            <Select
              label={t.zone}
              value={zone}
              onChange={(value) => setZone(value as typeof zone)}
              options={[
                { value: 'project', text: t.projectZone },
                { value: 'recipient', text: t.recipientZone },
              ]}
            />
          </div>
          <Field label={t.withTags} hint={t.separateWithCommas} error={form.problemOf('audience')}>
            {(attributes) => (
              <input {...attributes} value={tags} onInput={(event) => setTags(event.currentTarget.value)} />
            )}
          </Field>
          <Problem error={form.error} />
          <p class="buttons end">
            <button type="submit" class="btn primary" disabled={form.busy || text.trim() === '' || at === ''}>
              {t.scheduleIt}
            </button>
          </p>
        </form>
        <div class="previews">
          <PhonePreview channel="telegram" text={text} format="plain" button="" />
        </div>
      </div>
    </>
  );
}
