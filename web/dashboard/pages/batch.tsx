import { useState } from 'preact/hooks';
import { api, type Batch } from '../api';
import {
  Allowed,
  Badge,
  Cell,
  ChannelName,
  Clip,
  ConfirmDialog,
  Copyable,
  Crumbs,
  Empty,
  None,
  Pager,
  Problem,
  Table,
  Time,
} from '../elements';
import { number } from '../format';
import { PersonLink, useSubscribers } from '../people';
import { useResource } from '../resource';
import { Heading, useFilters, usePages } from '../router';
import { batchState } from '../states';
import { t } from '../texts';
import { MessageCell, ResultCell, ResultTabs } from './broadcast';
import { JobFigures } from './job-stats';

const BATCH_MS = 2_500;
/** Counted from many rows. */
const FIGURES_MS = 10_000;

/** A batch: what became of each of its messages. */
export function BatchPage({ id }: { id: string }) {
  const [isOver, setOver] = useState(false);
  const batch = useResource(
    async () => {
      const read = await api.batch(id);
      setOver(read.ended_at !== null);
      return read;
    },
    id,
    isOver ? undefined : BATCH_MS,
  );
  // Read once more when the batch is over.
  const refresh = isOver ? undefined : FIGURES_MS;
  const stats = useResource(() => api.batchStats(id), id, refresh);
  return (
    <>
      <Crumbs trail={[{ to: '/dashboard/batches', text: t.batches }]} />
      {batch.error && !batch.data && <Heading title={t.results.batch} />}
      <Problem error={batch.error ?? stats.error} />
      {batch.data && (
        <>
          <Head batch={batch.data} reload={batch.reload} />
          {stats.data && <JobFigures stats={stats.data} />}
          <Results id={id} refresh={refresh} />
        </>
      )}
    </>
  );
}

function Head({ batch, reload }: { batch: Batch; reload: () => Promise<void> }) {
  const [cancelling, setCancelling] = useState(false);
  const state = batchState(batch);
  const done = batch.sent + batch.failed + batch.skipped;
  return (
    <>
      <div class="heading">
        <Heading title={t.results.batchOf(batch.total)} />
        <Badge tone={state.tone}>{state.text}</Badge>
        {batch.ended_at === null && (
          <Allowed scope="send">
            <span class="actions">
              <button type="button" class="btn" onClick={() => setCancelling(true)}>
                {t.cancelBatch}
              </button>
            </span>
          </Allowed>
        )}
      </div>
      <section class="panel" aria-label={t.details}>
        <dl class="facts">
          {batch.ended_at === null && (
            <>
              <dt>{t.results.recipients}</dt>
              <dd>
                <label class="meter">
                  <span>{t.broadcastDone(number(done), number(batch.total))}</span>
                  <progress max={Math.max(1, batch.total)} value={done} />
                </label>
              </dd>
            </>
          )}
          <dt>{t.results.started}</dt>
          <dd>
            <Time at={batch.created_at} />
          </dd>
          <dt>{t.results.ended}</dt>
          <dd>{batch.ended_at === null ? t.results.notEnded : <Time at={batch.ended_at} />}</dd>
          <dt>{t.results.id}</dt>
          <dd>
            <Copyable text={batch.batch_id} label={t.copyId} />
          </dd>
        </dl>
      </section>
      {cancelling && (
        <ConfirmDialog
          title={t.cancelBatchTitle}
          text={t.cancelBatchText}
          confirm={t.cancelBatch}
          dismiss={t.goBack}
          act={() => api.cancelBatch(batch.batch_id).then(reload)}
          onClose={() => setCancelling(false)}
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
    () => api.batchResults(id, { status, cursor: pages.cursor }),
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
            t.results.place,
            t.results.person,
            t.status,
            { title: t.channel, givesWay: 'soon' },
            t.results.reference,
            `!${t.results.message}`,
          ]}
        >
          {list.map((result, index) => (
            <tr key={`${result.index} ${index}`}>
              <Cell label={t.results.place}>{number(result.index + 1)}</Cell>
              <Cell label={t.results.person} lead>
                {result.reason === 'subscriber_not_found' ? (
                  <None />
                ) : (
                  <PersonLink id={result.subscriber_id} known={known} />
                )}
              </Cell>
              <ResultCell status={result.status} reason={result.reason} />
              <Cell label={t.channel} givesWay="soon">
                <ChannelName channel={result.channel} />
              </Cell>
              <Cell label={t.results.reference}>
                {result.ref === null ? <None /> : <Clip>{result.ref}</Clip>}
              </Cell>
              <MessageCell id={result.delivery_id} />
            </tr>
          ))}
        </Table>
      )}
      <Pager pages={pages} next={found.data?.next_cursor ?? null} />
    </section>
  );
}
