import { useState } from 'preact/hooks';
import { api, type Batch } from '../api';
import { Allowed, Badge, CodeBlock, ConfirmDialog, Empty, Pager, Problem, Time } from '../elements';
import { number } from '../format';
import { useResource } from '../resource';
import { Heading, Link, usePages } from '../router';
import { batchState } from '../states';
import { t } from '../texts';

const REFRESH_MS = 2_500;

const SAMPLE = `POST /v1/send/batch

{
  "messages": [
    { "external_id": "user-42", "text": "Your parcel has arrived." },
    { "external_id": "user-43", "text": "Your parcel is late." }
  ]
}`;

/** Batches are sent through the API; this page shows how far they are. */
export function Batches() {
  const pages = usePages();
  const [cancelling, setCancelling] = useState<Batch | null>(null);
  const found = useResource(() => api.batches(pages.cursor), pages.cursor ?? '', REFRESH_MS);
  const list = found.data?.data;
  return (
    <>
      <Heading title={t.batches} />
      <p class="lead">{t.batchesLead}</p>
      <Problem error={found.error} />
      {list?.length === 0 && (
        <Empty icon="stack" title={t.noBatches} text={t.noBatchesText}>
          <CodeBlock code={SAMPLE} label={t.sampleRequest} />
        </Empty>
      )}
      <ul class="cards">
        {list?.map((batch) => (
          <BatchCard key={batch.batch_id} batch={batch} onCancel={() => setCancelling(batch)} />
        ))}
      </ul>
      <Pager pages={pages} next={found.data?.next_cursor ?? null} />
      {cancelling && (
        <ConfirmDialog
          title={t.cancelBatchTitle}
          text={t.cancelBatchText}
          confirm={t.cancelBatch}
          dismiss={t.goBack}
          act={() => api.cancelBatch(cancelling.batch_id).then(found.reload)}
          onClose={() => setCancelling(null)}
        />
      )}
    </>
  );
}

function BatchCard({ batch, onCancel }: { batch: Batch; onCancel: () => void }) {
  const { total, sent, failed, skipped } = batch;
  const done = sent + failed + skipped;
  const state = batchState(batch);
  return (
    <li class="panel card">
      <p class="row">
        <Link to={`/dashboard/batches/${batch.batch_id}`} class="card-title" title={batch.batch_id}>
          {t.results.batchOf(total)}
        </Link>
        <Badge tone={state.tone}>{state.text}</Badge>
      </p>
      {batch.ended_at === null && (
        <label class="meter">
          <span>{t.broadcastDone(number(done), number(total))}</span>
          <progress max={Math.max(1, total)} value={done} />
        </label>
      )}
      <p class="row">
        <span>{t.broadcastResults(number(sent), number(failed), number(skipped))}</span>
        <span class="hint">
          <Time at={batch.created_at} />
        </span>
      </p>
      {batch.ended_at === null && (
        <Allowed scope="send">
          <p class="buttons">
            <button type="button" class="btn" onClick={onCancel}>
              {t.cancelShort}
            </button>
          </p>
        </Allowed>
      )}
    </li>
  );
}
