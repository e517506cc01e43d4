import { useState } from 'preact/hooks';
import { api, type Broadcast, type BroadcastResult } from '../api';
import {
  ActionCell,
  Allowed,
  Badge,
  Cell,
  ChannelName,
  ConfirmDialog,
  Copyable,
  Crumbs,
  Empty,
  Pager,
  Problem,
  Table,
  Time,
  toast,
} from '../elements';
import { number } from '../format';
import { audienceText } from '../message/audience';
import { PersonLink, useSubscribers } from '../people';
import { contentHint } from '../message/placeholder-name';
import { useTemplateNames } from '../message/template-names';
import { useResource } from '../resource';
import { go, Heading, Link, useFilters, usePages } from '../router';
import { broadcastState, messageState } from '../states';
import { t } from '../texts';
import { JobFigures } from './job-stats';
import { reasonText } from './send-reason';

const JOB_MS = 2_500;
/** Counted from many rows. */
const FIGURES_MS = 10_000;
const STATUSES = ['sent', 'failed', 'skipped', 'queued'] as const;

/** A broadcast: who got it, who did not and why, and the way to send it again to those whose message failed. */
export function BroadcastPage({ id }: { id: string }) {
  const [isOver, setOver] = useState(false);
  const job = useResource(
    async () => {
      const read = await api.broadcastJob(id);
      setOver(hasEnded(read));
      return read;
    },
    id,
    isOver ? undefined : JOB_MS,
  );
  // Read once more when the job is over.
  const refresh = isOver ? undefined : FIGURES_MS;
  const stats = useResource(() => api.broadcastStats(id), id, refresh);
  return (
    <>
      <Crumbs trail={[{ to: '/dashboard/broadcasts', text: t.broadcasts }]} />
      {job.error && !job.data && <Heading title={t.results.broadcast} />}
      <Problem error={job.error ?? stats.error} />
      {job.data && (
        <>
          <Head job={job.data} failed={stats.data?.failed ?? 0} reload={job.reload} />
          {stats.data && <JobFigures stats={stats.data} />}
          <Results id={id} refresh={refresh} />
        </>
      )}
    </>
  );
}

function hasEnded({ status }: Broadcast): boolean {
  return status === 'completed' || status === 'cancelled';
}

function Head(props: { job: Broadcast; failed: number; reload: () => Promise<void> }) {
  const { job, failed } = props;
  const [open, setOpen] = useState<'retry' | 'cancel' | null>(null);
  const state = broadcastState(job);
  const isOver = hasEnded(job);
  const names = useTemplateNames([job.content]);
  const done = job.total_subscribers - job.remaining;
  return (
    <>
      <div class="heading">
        <Heading title={t.results.broadcast} />
        <Badge tone={state.tone}>{state.text}</Badge>
        <Allowed scope="send">
          <span class="actions">
            {isOver && failed > 0 && (
              <button type="button" class="btn primary" onClick={() => setOpen('retry')}>
                {t.results.retryFailed}
              </button>
            )}
            {(job.status === 'queued' || job.status === 'running') && (
              <button type="button" class="btn" onClick={() => setOpen('cancel')}>
                {t.cancelBroadcast}
              </button>
            )}
          </span>
        </Allowed>
      </div>
      <section class="panel" aria-label={t.details}>
        <p class="message-text">{contentHint(job.content, names)}</p>
        <dl class="facts">
          <dt>{t.results.audience}</dt>
          <dd>{audienceText(job.audience)}</dd>
          <dt>{t.results.recipients}</dt>
          <dd>
            {isOver ? (
              number(job.total_subscribers)
            ) : (
              <label class="meter">
                <span>{t.broadcastDone(number(done), number(job.total_subscribers))}</span>
                <progress max={Math.max(1, job.total_subscribers)} value={done} />
              </label>
            )}
          </dd>
          <dt>{t.results.started}</dt>
          <dd>
            <Time at={job.created_at} />
          </dd>
          <dt>{t.results.id}</dt>
          <dd>
            <Copyable text={job.job_id} label={t.copyId} />
          </dd>
        </dl>
      </section>
      {open === 'retry' && (
        <ConfirmDialog
          title={t.results.retryTitle(failed)}
          text={t.results.retryText}
          confirm={t.results.retryConfirm}
          kind="primary"
          act={async () => {
            const { job_id } = await api.retryBroadcast(job.job_id);
            toast(t.results.retried);
            go(`/dashboard/broadcasts/${job_id}`);
          }}
          onClose={() => setOpen(null)}
        />
      )}
      {open === 'cancel' && (
        <ConfirmDialog
          title={t.cancelBroadcastTitle}
          text={t.cancelBroadcastText(job.remaining)}
          confirm={t.cancelBroadcast}
          dismiss={t.goBack}
          act={() => api.cancelBroadcast(job.job_id).then(props.reload)}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}

function Results({ id, refresh }: { id: string; refresh: number | undefined }) {
  const filters = useFilters(['status']);
  const { status } = filters.values;
  const pages = usePages();
  const found = useResource(
    () => api.broadcastResults(id, { status, cursor: pages.cursor }),
    JSON.stringify([id, status, pages.cursor]),
    pages.isFirst ? refresh : undefined,
  );
  const list = found.data?.data;
  const known = useSubscribers((list ?? []).map((result) => result.subscriber_id));
  return (
    <section aria-labelledby="recipients-title">
      <h2 id="recipients-title">{t.results.recipients}</h2>
      <ResultTabs value={status} onChange={(value) => filters.set('status', value)} />
      <Problem error={found.error} />
      {list?.length === 0 && (
        <Empty icon="users" title={status === '' ? t.results.noRecipients : t.results.noResults} />
      )}
      {list && list.length > 0 && (
        <Table
          label={t.results.recipients}
          columns={[
            t.results.person,
            t.status,
            { title: t.channel, givesWay: 'soon' },
            `!${t.results.message}`,
          ]}
        >
          {list.map((result, index) => (
            <Row
              key={result.delivery_id ?? `${result.subscriber_id} ${index}`}
              result={result}
              known={known}
            />
          ))}
        </Table>
      )}
      <Pager pages={pages} next={found.data?.next_cursor ?? null} />
    </section>
  );
}

function Row(props: { result: BroadcastResult; known: ReturnType<typeof useSubscribers> }) {
  const { result } = props;
  return (
    <tr>
      <Cell label={t.results.person} lead>
        <PersonLink id={result.subscriber_id} known={props.known} />
      </Cell>
      <ResultCell status={result.status} reason={result.reason} />
      <Cell label={t.channel} givesWay="soon">
        <ChannelName channel={result.channel} />
      </Cell>
      <MessageCell id={result.delivery_id} />
    </tr>
  );
}

/** Filters the results of a job by what became of the message. */
export function ResultTabs(props: { value: string; onChange: (status: string) => void }) {
  return (
    <div class="tabs" role="group" aria-label={t.status}>
      {['', ...STATUSES].map((each) => (
        <button
          key={each}
          type="button"
          class="btn small"
          aria-pressed={props.value === each}
          onClick={() => props.onChange(each)}
        >
          {each === '' ? t.results.allResults : t.results.states[each as BroadcastResult['status']]}
        </button>
      ))}
    </div>
  );
}

/** The status and, where there is one, the reason. */
export function ResultCell(props: {
  status: BroadcastResult['status'];
  reason: Parameters<typeof reasonText>[0] | null;
}) {
  const state = messageState(props);
  return (
    <Cell label={t.status}>
      <Badge tone={state.tone}>{state.text}</Badge>{' '}
      {props.reason && (
        <span class="hint clip" title={reasonText(props.reason)}>
          {reasonText(props.reason)}
        </span>
      )}
    </Cell>
  );
}

export function MessageCell({ id }: { id: string | null }) {
  return (
    <ActionCell>
      {id !== null && (
        <Link to={`/dashboard/messages/${id}`} class="btn small">
          {t.results.openMessage}
        </Link>
      )}
    </ActionCell>
  );
}
