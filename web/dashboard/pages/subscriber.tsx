import { useState } from 'preact/hooks';
import { api, type Subscriber } from '../api';
import {
  Allowed,
  Badge,
  ChannelName,
  Chip,
  ConfirmDialog,
  Copyable,
  Crumbs,
  DownloadButton,
  None,
  Problem,
  Time,
  toast,
} from '../elements';
import { useResource } from '../resource';
import { go, Heading, Link } from '../router';
import { subscriberState } from '../states';
import { t } from '../texts';
import { Activity } from './subscriber-activity';
import { EditSubscriber } from './subscriber-form';

const REFRESH_MS = 5_000;

/** A subscriber with what has happened since the subscription. */
export function SubscriberPage({ id }: { id: string }) {
  const found = useResource(() => api.subscriber(id), id, REFRESH_MS);
  return (
    <>
      <Crumbs trail={[{ to: '/dashboard/subscribers', text: t.subscribers }]} />
      {found.error && !found.data && <Heading title={t.subscriber} />}
      <Problem error={found.error} />
      {found.data && <Profile subscriber={found.data} reload={found.reload} />}
    </>
  );
}

function Profile({ subscriber, reload }: { subscriber: Subscriber; reload: () => Promise<void> }) {
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null);
  const state = subscriberState(subscriber);
  return (
    <>
      <div class="heading">
        <Heading title={subscriber.first_name} class="clip wide">
          <bdi>{subscriber.first_name}</bdi>
        </Heading>
        {subscriber.username && <span class="hint clip">@{subscriber.username}</span>}
        <Badge tone={state.tone}>{state.text}</Badge>
        <span class="actions">
          {subscriber.active && (
            <Allowed scope="send">
              <Link to={`/dashboard/broadcasts/new?to=${subscriber.subscriber_id}`} class="btn primary">
                {t.results.sendMessage}
              </Link>
            </Allowed>
          )}
          <Link to={`/dashboard/inbox?view=all&subscriber=${subscriber.subscriber_id}`} class="btn">
            {t.ticketsOf}
          </Link>
          <DownloadButton
            path={`/v1/subscribers/${subscriber.subscriber_id}/data`}
            filename={`subscriber-${subscriber.subscriber_id}.json`}
            text={t.downloadData}
          />
          <Allowed scope="manage">
            <button type="button" class="btn" onClick={() => setOpen('edit')}>
              {t.edit}
            </button>
            <button type="button" class="btn" onClick={() => setOpen('remove')}>
              {t.remove}
            </button>
          </Allowed>
        </span>
      </div>
      <section class="panel" aria-label={t.details}>
        <dl class="facts">
          <dt>{t.channel}</dt>
          <dd>
            <ChannelName channel={subscriber.channel} />
          </dd>
          <dt>{t.subscriberId}</dt>
          <dd>
            <Copyable text={subscriber.subscriber_id} label={t.copyId} />
          </dd>
          <dt>{t.externalId}</dt>
          <dd>
            {subscriber.external_id === null ? (
              <None />
            ) : (
              <Copyable text={subscriber.external_id} label={t.copyExternalId} />
            )}
          </dd>
          <dt>{t.tags}</dt>
          <dd>
            <Labels names={subscriber.tags} />
          </dd>
          <dt>{t.permissions}</dt>
          <dd>
            <Labels names={subscriber.permissions} />
          </dd>
          <dt>{t.subscriberTimezone}</dt>
          <dd>{subscriber.timezone ?? t.projectTimezone}</dd>
          <dt>{t.properties}</dt>
          <dd>
            <Labels
              names={Object.entries(subscriber.properties).map(([key, value]) => `${key}: ${String(value)}`)}
            />
          </dd>
          <dt>{t.since}</dt>
          <dd>
            <Time at={subscriber.created_at} />
          </dd>
        </dl>
      </section>
      <Activity subscriber={subscriber} />
      {open === 'edit' && (
        <EditSubscriber
          subscriber={subscriber}
          onClose={() => setOpen(null)}
          onSaved={async () => {
            await reload();
            toast(t.saved);
            setOpen(null);
          }}
        />
      )}
      {open === 'remove' && (
        <ConfirmDialog
          title={t.removeSubscriberTitle(subscriber.first_name)}
          text={t.removeSubscriberText}
          confirm={t.remove}
          act={async () => {
            await api.removeSubscriber(subscriber.subscriber_id);
            go('/dashboard/subscribers');
          }}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}

function Labels({ names }: { names: string[] }) {
  if (names.length === 0) return <None />;
  return (
    <span class="chips">
      {names.map((name) => (
        <Chip key={name} title={name}>
          {name}
        </Chip>
      ))}
    </span>
  );
}
