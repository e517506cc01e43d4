import { useState } from 'preact/hooks';
import { api, type Broadcast } from '../api';
import { Allowed, Badge, ConfirmDialog, CreateButton, Empty, Pager, Problem, Time } from '../elements';
import { number } from '../format';
import { audienceText } from '../message/audience';
import { contentHint, contentTitle, type TemplateNames } from '../message/placeholder-name';
import { useTemplateNames } from '../message/template-names';
import { useResource } from '../resource';
import { Heading, Link, usePages } from '../router';
import { broadcastState } from '../states';
import { t } from '../texts';

const REFRESH_MS = 2_500;

export function Broadcasts() {
  const pages = usePages();
  const [cancelling, setCancelling] = useState<Broadcast | null>(null);
  const found = useResource(() => api.broadcasts(pages.cursor), pages.cursor ?? '', REFRESH_MS);
  const list = found.data?.data;
  const names = useTemplateNames(list?.map(({ content }) => content) ?? []);
  const isEmpty = list?.length === 0;
  const create = <CreateButton scope="send" to="/dashboard/broadcasts/new" text={t.newBroadcast} />;
  return (
    <>
      <div class="heading">
        <Heading title={t.broadcasts} />
        {!isEmpty && create}
      </div>
      <p class="lead">{t.broadcastsLead}</p>
      <Problem error={found.error} />
      {isEmpty && (
        <Empty icon="megaphone" title={t.noBroadcasts} text={t.noBroadcastsText}>
          {create}
        </Empty>
      )}
      <ul class="cards">
        {list?.map((broadcast) => (
          <BroadcastCard
            key={broadcast.job_id}
            broadcast={broadcast}
            names={names}
            onCancel={() => setCancelling(broadcast)}
          />
        ))}
      </ul>
      <Pager pages={pages} next={found.data?.next_cursor ?? null} />
      {cancelling && (
        <ConfirmDialog
          title={t.cancelBroadcastTitle}
          text={t.cancelBroadcastText(cancelling.remaining)}
          confirm={t.cancelBroadcast}
          dismiss={t.goBack}
          act={() => api.cancelBroadcast(cancelling.job_id).then(found.reload)}
          onClose={() => setCancelling(null)}
        />
      )}
    </>
  );
}

function BroadcastCard(props: { broadcast: Broadcast; names: TemplateNames; onCancel: () => void }) {
  const { broadcast, names, onCancel } = props;
  const { total_subscribers: total, remaining } = broadcast;
  const going = broadcast.status === 'queued' || broadcast.status === 'running';
  const state = broadcastState(broadcast);
  const title = contentTitle(broadcast.content, names);
  return (
    <li class="panel card">
      <p class="row">
        <Link
          to={`/dashboard/broadcasts/${broadcast.job_id}`}
          class="card-title clip wide"
          title={contentHint(broadcast.content, names)}
        >
          {title}
        </Link>
        <Badge tone={state.tone}>{state.text}</Badge>
      </p>
      <p class="hint">{audienceText(broadcast.audience)}</p>
      {going && (
        <label class="meter">
          <span>{t.broadcastDone(number(total - remaining), number(total))}</span>
          <progress max={Math.max(1, total)} value={total - remaining} />
        </label>
      )}
      <p class="row">
        <span>
          {t.broadcastResults(number(broadcast.sent), number(broadcast.failed), number(broadcast.skipped))}
        </span>
        <span class="hint">
          <Time at={broadcast.created_at} />
        </span>
      </p>
      {going && (
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
