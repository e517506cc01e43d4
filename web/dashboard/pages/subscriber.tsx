import { useState } from 'preact/hooks';
import type { IconName } from '../../shared/icons';
import { api, type MessageRecord, type SessionRecord, type Subscriber, type TrackedEvent } from '../api';
import {
  Allowed,
  Badge,
  ChannelName,
  Chip,
  ConfirmDialog,
  Copyable,
  Crumbs,
  DownloadButton,
  Icon,
  None,
  Problem,
  Time,
  toast,
} from '../elements';
import { useResource } from '../resource';
import { go, Heading } from '../router';
import { loginState, messageState, subscriberState, type Shown } from '../states';
import { t } from '../texts';
import { Device } from './logins';
import { EditSubscriber } from './subscriber-form';

const REFRESH_MS = 5_000;

/** A subscriber with what has happened: logins, messages, taps on buttons and tracked events. */
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
      <Timeline id={subscriber.subscriber_id} />
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

interface Entry {
  key: string;
  at: string;
  icon: IconName;
  title: string;
  state?: Shown;
  detail?: string | null;
  session?: SessionRecord;
}

/** The newest page of logins, of messages and of events, together in the order of time. */
function Timeline({ id }: { id: string }) {
  const found = useResource(
    async () => {
      const [logins, messages, events] = await Promise.all([
        api.logins({ subscriber_id: id, cursor: null }),
        api.messages(id, null),
        api.trackedEvents({ subscriber_id: id, cursor: null }),
      ]);
      return [
        ...logins.data.map(loginEntry),
        ...messages.data.flatMap(messageEntries),
        ...events.data.map(eventEntry),
      ].sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
    },
    id,
    REFRESH_MS,
  );
  return (
    <section aria-labelledby="timeline-title">
      <h2 id="timeline-title">{t.timeline}</h2>
      <Problem error={found.error} />
      {found.data?.length === 0 && <p class="hint">{t.timelineEmpty}</p>}
      <ol class="timeline">
        {found.data?.map((entry) => (
          <li key={entry.key}>
            <Icon name={entry.icon} small />
            <div>
              <p class="timeline-line">
                {entry.title} {entry.state && <Badge tone={entry.state.tone}>{entry.state.text}</Badge>}{' '}
                <span class="hint">
                  <Time at={entry.at} />
                </span>
              </p>
              {entry.detail && <p class="hint message-text">{entry.detail}</p>}
              {entry.session && (
                <p class="hint">
                  <Device session={entry.session} />
                </p>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

function loginEntry(session: SessionRecord): Entry {
  return {
    key: session.session_id,
    at: session.created_at,
    icon: 'key',
    title: session.flow === 'push' ? t.flows.push : t.loginEntry,
    state: loginState(session),
    ...(session.message ? { detail: session.message } : {}),
    ...(session.user_agent || session.client_ip ? { session } : {}),
  };
}

function messageEntries(message: MessageRecord): Entry[] {
  const reason = message.reason && t.sendReasons[message.reason];
  const sent: Entry = {
    key: message.delivery_id,
    at: message.created_at,
    icon: 'envelope',
    title: t.messageSources[message.source],
    state: messageState(message),
    detail: [message.text, reason].filter(Boolean).join(' · '),
  };
  const taps = message.clicked_at.map((at, index): Entry => ({
    key: `${message.delivery_id} ${index}`,
    at,
    icon: 'cursor',
    title: t.buttonTap,
    detail: message.text,
  }));
  return [sent, ...taps];
}

function eventEntry(event: TrackedEvent): Entry {
  return {
    key: `${event.event_id} ${event.received_at}`,
    at: event.occurred_at,
    icon: 'bolt',
    title: t.trackedEntry(event.name),
    detail: Object.entries(event.properties)
      .map(([key, value]) => `${key}: ${String(value)}`)
      .join(' · '),
  };
}
