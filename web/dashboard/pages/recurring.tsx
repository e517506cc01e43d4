import { useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { api, type Recurring } from '../api';
import {
  ActionButton,
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
  Table,
  Time,
  toast,
  useForm,
} from '../elements';
import { number, typedList } from '../format';
import { useResource } from '../resource';
import { go, Heading, Link, usePages } from '../router';
import { recurringState, runState } from '../states';
import { t } from '../texts';
import { PhonePreview } from './phone-preview';

const REFRESH_MS = 5_000;

export function RecurringPage({ open }: { open: string | undefined }) {
  if (open === undefined) return <RecurringList />;
  return open === 'new' ? <NewRecurring /> : <OpenRecurring key={open} id={open} />;
}

function RecurringList() {
  const pages = usePages();
  const found = useResource(() => api.recurring(pages.cursor), pages.cursor ?? '', REFRESH_MS);
  const list = found.data?.data;
  return (
    <>
      <div class="heading">
        <Heading title={t.recurring} />
        <Link to="/dashboard/recurring/new" class="btn primary">
          <Icon name="plus" small /> {t.newRecurring}
        </Link>
      </div>
      <p class="lead">{t.recurringLead}</p>
      <Problem error={found.error} />
      {list?.length === 0 && <Empty icon="repeat" title={t.noRecurring} text={t.noRecurringText} />}
      {list && list.length > 0 && (
        <Table label={t.recurring} columns={[t.personName, t.cron, t.nextRun, t.runCount, t.status]}>
          {list.map((entry) => (
            <Row key={entry.recurring_id} entry={entry} />
          ))}
        </Table>
      )}
      <Pager pages={pages} next={found.data?.next_cursor ?? null} />
    </>
  );
}

function Row({ entry }: { entry: Recurring }) {
  const state = recurringState(entry);
  return (
    <tr>
      <Cell label={t.personName}>
        <Link to={`/dashboard/recurring/${entry.recurring_id}`}>{entry.name}</Link>
      </Cell>
      <Cell label={t.cron}>
        <code>{entry.cron}</code> <span class="hint">{entry.timezone}</span>
      </Cell>
      <Cell label={t.nextRun}>{entry.next_run_at ? <Time at={entry.next_run_at} /> : <None />}</Cell>
      <Cell label={t.runCount}>{number(entry.runs)}</Cell>
      <Cell label={t.status}>
        <Badge tone={state.tone}>{state.text}</Badge>
      </Cell>
    </tr>
  );
}

function OpenRecurring({ id }: { id: string }) {
  const pages = usePages();
  const found = useResource(() => api.recurringMessage(id), id, REFRESH_MS);
  const runs = useResource(
    () => api.recurringRuns(id, pages.cursor),
    `${id} ${pages.cursor ?? ''}`,
    REFRESH_MS,
  );
  const [error, setError] = useState<Error | null>(null);
  const [removing, setRemoving] = useState(false);
  const entry = found.data;
  if (!entry) return <Problem error={found.error} />;
  const isEnded = entry.status === 'ended';
  const reload = async () => {
    await Promise.all([found.reload(), runs.reload()]);
  };
  const state = recurringState(entry);
  return (
    <>
      <Crumbs trail={[{ to: '/dashboard/recurring', text: t.recurring }]} />
      <div class="heading">
        <Heading title={entry.name} />
        <Badge tone={state.tone}>{state.text}</Badge>
      </div>
      <p>
        <code>{entry.cron}</code> <span class="hint">{entry.timezone}</span> · {t.nextRun}:{' '}
        {entry.next_run_at ? <Time at={entry.next_run_at} /> : <None />}
      </p>
      <p class="buttons">
        {!isEnded && (
          <>
            <ActionButton act={() => api.runRecurring(id).then(reload)} onError={setError}>
              {t.runNow}
            </ActionButton>
            <ActionButton act={() => api.skipRecurring(id).then(reload)} onError={setError}>
              {t.skipNext}
            </ActionButton>
            <ActionButton
              act={() =>
                api
                  .changeRecurring(id, { status: entry.status === 'paused' ? 'active' : 'paused' })
                  .then(reload)
              }
              onError={setError}
            >
              {entry.status === 'paused' ? t.resumeRecurring : t.pauseRecurring}
            </ActionButton>
          </>
        )}
        <button type="button" class="btn danger" onClick={() => setRemoving(true)}>
          {t.remove}
        </button>
      </p>
      <Problem error={error ?? runs.error} />
      <h2>{t.runList}</h2>
      {runs.data?.data.length === 0 && <Empty icon="repeat" title={t.noRuns} />}
      {runs.data && runs.data.data.length > 0 && (
        <Table label={t.runList} columns={[t.sendsAt, t.status, t.reason]}>
          {runs.data.data.map((run) => {
            const shown = runState(run);
            return (
              <tr key={run.run_id}>
                <Cell label={t.sendsAt}>
                  <Time at={run.scheduled_for} />
                </Cell>
                <Cell label={t.status}>
                  <Badge tone={shown.tone}>{shown.text}</Badge>
                </Cell>
                <Cell label={t.reason}>
                  {run.reason ? (
                    (t.runReasons[run.reason as keyof typeof t.runReasons] ?? run.reason)
                  ) : (
                    <None />
                  )}
                </Cell>
              </tr>
            );
          })}
        </Table>
      )}
      <Pager pages={pages} next={runs.data?.next_cursor ?? null} />
      {removing && (
        <ConfirmDialog
          title={t.removeRecurringTitle(entry.name)}
          text={t.removeRecurringText}
          confirm={t.remove}
          dismiss={t.goBack}
          act={async () => {
            await api.removeRecurring(id);
            go('/dashboard/recurring');
          }}
          onClose={() => setRemoving(false)}
        />
      )}
    </>
  );
}

function NewRecurring() {
  const [draft, setDraft] = useState({ name: '', text: '', cron: '0 9 * * MON', tags: '' });
  const change = (part: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...part }));
  const form = useForm(['name', 'content.text', 'cron', 'audience'], async () => {
    await api.createRecurring({
      name: draft.name,
      content: { text: draft.text },
      audience: {
        tags_all: typedList(draft.tags, ','),
      },
      cron: draft.cron,
    });
    toast(t.recurringSaved);
    go('/dashboard/recurring');
  });
  return (
    <>
      <Crumbs trail={[{ to: '/dashboard/recurring', text: t.recurring }]} />
      <Heading title={t.newRecurring} />
      <div class="composer">
        <form class="panel" {...form.attributes}>
          <Field label={t.personName} error={form.problemOf('name')}>
            {(attributes) => (
              <input
                {...attributes}
                required
                maxLength={limits.nameLength}
                value={draft.name}
                onInput={(event) => change({ name: event.currentTarget.value })}
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
                value={draft.text}
                onInput={(event) => change({ text: event.currentTarget.value })}
              />
            )}
          </Field>
          <Field label={t.cron} hint={t.cronHint} error={form.problemOf('cron')}>
            {(attributes) => (
              <input
                {...attributes}
                required
                maxLength={limits.cronLength}
                value={draft.cron}
                onInput={(event) => change({ cron: event.currentTarget.value })}
              />
            )}
          </Field>
          <Field label={t.withTags} hint={t.separateWithCommas} error={form.problemOf('audience')}>
            {(attributes) => (
              <input
                {...attributes}
                value={draft.tags}
                onInput={(event) => change({ tags: event.currentTarget.value })}
              />
            )}
          </Field>
          <Problem error={form.error} />
          <p class="buttons end">
            <button
              type="submit"
              class="btn primary"
              disabled={form.busy || draft.text.trim() === '' || draft.name.trim() === ''}
            >
              {t.save}
            </button>
          </p>
        </form>
        <div class="previews">
          <PhonePreview channel="telegram" text={draft.text} format="plain" button="" />
        </div>
      </div>
    </>
  );
}
