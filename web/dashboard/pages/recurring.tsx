import { useState } from 'preact/hooks';
import { api, type Recurring } from '../api';
import {
  ActionButton,
  Allowed,
  Badge,
  Cell,
  ConfirmDialog,
  CreateButton,
  Crumbs,
  Empty,
  None,
  Pager,
  PlannedTime,
  Problem,
  Table,
  Time,
  toast,
} from '../elements';
import { number } from '../format';
import { audienceText } from '../message/audience';
import { contentDraft } from '../message/content';
import { MessagePreview } from '../message/message-preview';
import { repeatText } from '../message/repeat-text';
import { zoneName } from '../message/when';
import { useResource } from '../resource';
import { go, Heading, Link, usePages } from '../router';
import { recurringState, runState } from '../states';
import { t } from '../texts';

const REFRESH_MS = 5_000;

export function RecurringMessages() {
  const pages = usePages();
  const found = useResource(() => api.recurring(pages.cursor), pages.cursor ?? '', REFRESH_MS);
  const list = found.data?.data;
  const isEmpty = list?.length === 0;
  const create = <CreateButton scope="send" to="/dashboard/recurring/new" text={t.newRecurring} />;
  return (
    <>
      <div class="heading">
        <Heading title={t.recurring} />
        {!isEmpty && create}
      </div>
      <p class="lead">{t.recurringLead}</p>
      <Problem error={found.error} />
      {isEmpty && (
        <Empty icon="repeat" title={t.noRecurring} text={t.noRecurringText}>
          {create}
        </Empty>
      )}
      {list && list.length > 0 && (
        <Table label={t.recurring} columns={[t.name, t.when, t.nextRun, t.runCount, t.status]}>
          {list.map((entry) => (
            <Row key={entry.recurring_id} entry={entry} />
          ))}
        </Table>
      )}
      <Pager pages={pages} next={found.data?.next_cursor ?? null} />
    </>
  );
}

/** "Every Monday at 09:00, Moscow". */
const repeats = ({ cron, timezone }: Recurring) => `${repeatText(cron)}, ${zoneName(timezone)}`;

function Row({ entry }: { entry: Recurring }) {
  const state = recurringState(entry);
  return (
    <tr>
      <Cell label={t.name} lead>
        <Link to={`/dashboard/recurring/${entry.recurring_id}`} class="clip" title={entry.name}>
          {entry.name}
        </Link>
      </Cell>
      <Cell label={t.when} class="wraps">
        {repeats(entry)}
      </Cell>
      <Cell label={t.nextRun}>{entry.next_run_at ? <PlannedTime at={entry.next_run_at} /> : <None />}</Cell>
      <Cell label={t.runCount}>{number(entry.runs)}</Cell>
      <Cell label={t.status}>
        <Badge tone={state.tone}>{state.text}</Badge>
      </Cell>
    </tr>
  );
}

/** One recurring message: what it sends to whom, when, and its runs. */
export function OpenRecurring({ id }: { id: string }) {
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
  const trail = <Crumbs trail={[{ to: '/dashboard/recurring', text: t.recurring }]} />;
  if (!entry) {
    return (
      <>
        {trail}
        <Heading title={t.recurring} />
        <Problem error={found.error} />
      </>
    );
  }
  const isEnded = entry.status === 'ended';
  const isPaused = entry.status === 'paused';
  const act = (work: () => Promise<unknown>, done: string) => async () => {
    await work();
    toast(done);
    await Promise.all([found.reload(), runs.reload()]);
  };
  const state = recurringState(entry);
  return (
    <>
      {trail}
      <div class="heading">
        <Heading title={entry.name} />
        <Badge tone={state.tone}>{state.text}</Badge>
        <Allowed scope="send">
          <span class="actions">
            {!isEnded && (
              <>
                <ActionButton act={act(() => api.runRecurring(id), t.runStarted)} onError={setError}>
                  {t.runNow}
                </ActionButton>
                {!isPaused && (
                  <ActionButton act={act(() => api.skipRecurring(id), t.runSkipped)} onError={setError}>
                    {t.skipNext}
                  </ActionButton>
                )}
                <ActionButton
                  act={act(
                    () => api.changeRecurring(id, { status: isPaused ? 'active' : 'paused' }),
                    isPaused ? t.recurringResumed : t.recurringPaused,
                  )}
                  onError={setError}
                >
                  {isPaused ? t.resumeRecurring : t.pauseRecurring}
                </ActionButton>
                <Link to={`/dashboard/recurring/${id}/edit`} class="btn">
                  {t.edit}
                </Link>
              </>
            )}
            <button type="button" class="btn" onClick={() => setRemoving(true)}>
              {t.delete}
            </button>
          </span>
        </Allowed>
      </div>
      <div class="composer">
        <section class="panel" aria-label={t.details}>
          <dl class="facts">
            <dt>{t.nextRun}</dt>
            <dd>{entry.next_run_at ? <PlannedTime at={entry.next_run_at} /> : <None />}</dd>
            <dt>{t.when}</dt>
            <dd>
              {repeats(entry)}
              {repeatText(entry.cron) !== entry.cron && (
                <div class="hint">
                  {t.cron}: <code>{entry.cron}</code>
                </div>
              )}
            </dd>
            <dt>{t.audience}</dt>
            <dd>{audienceText(entry.audience)}</dd>
            {(entry.start_at ?? entry.end_at) && (
              <>
                <dt>{t.runsBetween}</dt>
                <dd>
                  <Time at={entry.start_at} /> … <Time at={entry.end_at} />
                </dd>
              </>
            )}
            <dt>{t.runCount}</dt>
            <dd>
              {number(entry.runs)}
              {entry.max_runs !== null && ` / ${number(entry.max_runs)}`}
            </dd>
          </dl>
        </section>
        <div class="previews">
          <MessagePreview draft={contentDraft(entry.content)} channel={entry.audience.channel ?? ''} />
        </div>
      </div>
      <Problem error={error ?? runs.error} />
      <h2>{t.runList}</h2>
      {runs.data?.data.length === 0 && <Empty icon="repeat" title={t.noRuns} />}
      {runs.data && runs.data.data.length > 0 && (
        <Table label={t.runList} columns={[t.sendsAt, t.status]}>
          {runs.data.data.map((run) => {
            const shown = runState(run);
            return (
              <tr key={run.run_id}>
                <Cell label={t.sendsAt} lead>
                  {run.job_id === null ? (
                    <Time at={run.scheduled_for} />
                  ) : (
                    <Link to={`/dashboard/broadcasts/${run.job_id}`}>
                      <Time at={run.scheduled_for} />
                    </Link>
                  )}
                </Cell>
                <Cell label={t.status}>
                  <Badge tone={shown.tone}>{shown.text}</Badge>{' '}
                  {run.reason && (
                    <span class="hint">
                      {t.runReasons[run.reason as keyof typeof t.runReasons] ?? run.reason}
                    </span>
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
          confirm={t.delete}
          act={async () => {
            await api.removeRecurring(id);
            toast(t.recurringDeleted);
            go('/dashboard/recurring');
          }}
          onClose={() => setRemoving(false)}
        />
      )}
    </>
  );
}
