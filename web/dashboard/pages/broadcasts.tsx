import { useState } from 'preact/hooks';
import { can } from '../access';
import { api, type Broadcast } from '../api';
import { Badge, ConfirmDialog, Empty, Icon, Pager, Problem, Time } from '../elements';
import { number } from '../format';
import { useResource } from '../resource';
import { Heading, Link, usePages } from '../router';
import { broadcastState } from '../states';
import { t } from '../texts';
import { Composer } from './composer';

const REFRESH_MS = 2_500;

export function Broadcasts({ isComposing }: { isComposing: boolean }) {
  return isComposing ? <Composer /> : <BroadcastList />;
}

function BroadcastList() {
  const pages = usePages();
  const [cancelling, setCancelling] = useState<Broadcast | null>(null);
  const found = useResource(() => api.broadcasts(pages.cursor), pages.cursor ?? '', REFRESH_MS);
  const list = found.data?.data;
  return (
    <>
      <div class="heading">
        <Heading title={t.broadcasts} />
        {can('send') && (
          <Link to="/dashboard/broadcasts/new" class="btn primary">
            <Icon name="plus" small /> {t.newBroadcast}
          </Link>
        )}
      </div>
      <p class="lead">{t.broadcastsLead}</p>
      <Problem error={found.error} />
      {list?.length === 0 && (
        <Empty icon="megaphone" title={t.noBroadcasts} text={t.noBroadcastsText}>
          <p class="buttons" hidden={!can('send')}>
            <Link to="/dashboard/broadcasts/new" class="btn">
              <Icon name="plus" small /> {t.writeBroadcast}
            </Link>
          </p>
        </Empty>
      )}
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

/** Who got it, in words. */
function Audience({ audience }: { audience: Broadcast['audience'] }) {
  const parts = [
    audience.channel === null ? t.allChannels : audience.channel === 'max' ? 'MAX' : 'Telegram',
    audience.tags_all.length > 0 && t.taggedAll(audience.tags_all.join(', ')),
    audience.tags_any.length > 0 && t.taggedAny(audience.tags_any.join(', ')),
    audience.exclude_tags.length > 0 && t.notTagged(audience.exclude_tags.join(', ')),
    audience.permission !== null && t.permitted(audience.permission),
  ];
  return <>{parts.filter(Boolean).join(' · ')}</>;
}

function BroadcastCard({ broadcast, onCancel }: { broadcast: Broadcast; onCancel: () => void }) {
  const { total_subscribers: total, remaining } = broadcast;
  const going = broadcast.status === 'queued' || broadcast.status === 'running';
  const state = broadcastState(broadcast);
  const title = broadcast.content.text ?? t.templateNamed(broadcast.content.template ?? '');
  return (
    <li class="panel card">
      <p class="row">
        <span class="card-title clip wide" title={title}>
          {title}
        </span>
        <Badge tone={state.tone}>{state.text}</Badge>
      </p>
      <p class="hint">
        <Audience audience={broadcast.audience} /> · <code>{broadcast.job_id}</code>
      </p>
      <label class="meter">
        <span>{t.broadcastDone(number(total - remaining), number(total))}</span>
        <progress max={Math.max(1, total)} value={total === 0 ? 1 : total - remaining} />
      </label>
      <p class="row">
        <span>
          {t.broadcastResults(number(broadcast.sent), number(broadcast.failed), number(broadcast.skipped))}
        </span>
        <span class="hint">
          <Time at={broadcast.created_at} />
        </span>
      </p>
      {going && can('send') && (
        <p class="buttons">
          <button type="button" class="btn" onClick={onCancel}>
            {t.cancelShort}
          </button>
        </p>
      )}
    </li>
  );
}
