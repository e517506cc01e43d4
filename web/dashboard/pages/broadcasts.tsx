import { useState } from 'preact/hooks';
import { api, type Broadcast } from '../api';
import { Badge, ConfirmDialog, Empty, Pager, Problem, Time, usePages } from '../elements';
import { useResource } from '../resource';

const REFRESH_MS = 2_500;

export function Broadcasts() {
  const pages = usePages();
  const [cancelling, setCancelling] = useState<Broadcast | null>(null);
  const found = useResource(() => api.broadcasts(pages.cursor), pages.cursor ?? '', REFRESH_MS);
  const list = found.data?.data;
  return (
    <>
      <h1>Broadcasts</h1>
      <p class="lead">
        Messages to many subscribers. Start one with <code>POST /v1/broadcast</code>.
      </p>
      <Problem error={found.error} />
      {list?.length === 0 && <Empty>No broadcasts yet.</Empty>}
      <ul class="cards">
        {list?.map((broadcast) => (
          <BroadcastCard
            key={broadcast.job_id}
            broadcast={broadcast}
            onCancel={() => setCancelling(broadcast)}
          />
        ))}
      </ul>
      <Pager pages={pages} next={found.data?.next_cursor ?? null} />
      {cancelling && (
        <ConfirmDialog
          title="Cancel this broadcast?"
          text={`Messages already sent stay in the chats. The remaining subscribers (${cancelling.remaining}) won’t receive one.`}
          confirm="Cancel broadcast"
          dismiss="Go back"
          act={() => api.cancelBroadcast(cancelling.job_id).then(found.reload)}
          onClose={() => setCancelling(null)}
        />
      )}
    </>
  );
}

function BroadcastCard({ broadcast, onCancel }: { broadcast: Broadcast; onCancel: () => void }) {
  const { total_subscribers: total, remaining } = broadcast;
  const going = broadcast.status === 'queued' || broadcast.status === 'running';
  return (
    <li class="card">
      <p class="row">
        <code>{broadcast.job_id}</code>
        <Badge kind={broadcast.status}>{broadcast.status}</Badge>
      </p>
      <label class="meter">
        <span>
          {total - remaining} of {total} done
        </span>
        <progress max={Math.max(1, total)} value={total === 0 ? 1 : total - remaining} />
      </label>
      <p class="row">
        <span>
          {broadcast.sent} sent · {broadcast.failed} failed · {broadcast.skipped} skipped
        </span>
        <span class="hint">
          <Time at={broadcast.created_at} />
        </span>
      </p>
      {going && (
        <p class="buttons">
          <button type="button" class="plain" onClick={onCancel}>
            Cancel
          </button>
        </p>
      )}
    </li>
  );
}
