import { useState } from 'preact/hooks';
import type { IconName } from '../../shared/icons';
import { api, type MessageRecord, type SessionRecord, type Subscriber, type TrackedEvent } from '../api';
import { ActionButton, Badge, Icon, Problem, Time } from '../elements';
import { useResource } from '../resource';
import { Link } from '../router';
import { loginState, messageState, type Shown } from '../states';
import { t } from '../texts';
import { Device } from './logins';
import { reasonText } from './send-reason';

const REFRESH_MS = 5_000;

interface Entry {
  key: string;
  at: string;
  /** What its list is sorted by, where that is another time. */
  listedAt?: string;
  icon: IconName;
  title: string;
  /** Its own page. */
  to?: string;
  state?: Shown;
  detail?: string | null;
  session?: SessionRecord;
  message?: MessageRecord;
}

/** A part of a list, and where it goes on. */
interface Part {
  entries: Entry[];
  next: string | null;
}

const kinds = ['logins', 'messages', 'events'] as const;
type Kind = (typeof kinds)[number];

const readers: Record<Kind, (id: string, cursor: string | null) => Promise<Part>> = {
  logins: async (id, cursor) => {
    const page = await api.logins({ subscriber_id: id, cursor });
    return { entries: page.data.map(loginEntry), next: page.next_cursor };
  },
  messages: async (id, cursor) => {
    const page = await api.messages(id, cursor);
    return { entries: page.data.flatMap(messageEntries), next: page.next_cursor };
  },
  events: async (id, cursor) => {
    const page = await api.trackedEvents({ subscriber_id: id, cursor });
    return { entries: page.data.map(eventEntry), next: page.next_cursor };
  },
};

/** What has been read: entries by key, and for each list where it goes on; undefined before its first page. */
interface Read {
  entries: Map<string, Entry>;
  next: Partial<Record<Kind, string | null>>;
}

/**
 * Logins, messages, taps and tracked events of a subscriber in the order of time, back to the subscription, or the messages
 * alone as a conversation. The newest page of each list is read again and again, older ones when they are asked for.
 */
export function Activity({ subscriber }: { subscriber: Subscriber }) {
  const id = subscriber.subscriber_id;
  const [view, setView] = useState<'timeline' | 'conversation'>('timeline');
  const [read, setRead] = useState<Read>({ entries: new Map(), next: {} });
  const [error, setError] = useState<Error | null>(null);
  const add = (parts: Partial<Record<Kind, Part>>, isNewest: boolean) =>
    setRead((before) => {
      const entries = new Map(before.entries);
      const next = { ...before.next };
      for (const kind of kinds) {
        const part = parts[kind];
        if (!part) continue;
        for (const entry of part.entries) entries.set(entry.key, entry);
        // The first page is read again: where the list goes on is what the last older page said.
        if (!isNewest || next[kind] === undefined) next[kind] = part.next;
      }
      return { entries, next };
    });
  const newest = useResource(
    async () => {
      const [logins, messages, events] = await Promise.all(kinds.map((kind) => readers[kind](id, null)));
      add({ ...(logins && { logins }), ...(messages && { messages }), ...(events && { events }) }, true);
      return true;
    },
    id,
    REFRESH_MS,
  );
  const readOlder = async () => {
    const more = kinds.filter((kind) => read.next[kind]);
    const parts = await Promise.all(more.map((kind) => readers[kind](id, read.next[kind] ?? null)));
    add(Object.fromEntries(more.map((kind, index) => [kind, parts[index]])), false);
  };
  const hasMore = kinds.some((kind) => read.next[kind]);
  const all = shownEntries(read, subscriber);
  const shown = view === 'timeline' ? all : all.filter(({ message }) => message);
  return (
    <section aria-labelledby="activity-title">
      <div class="heading">
        <h2 id="activity-title">{t.results.activity}</h2>
        <span class="actions tabs" role="group" aria-labelledby="activity-title">
          {(['timeline', 'conversation'] as const).map((each) => (
            <button
              key={each}
              type="button"
              class="btn small"
              aria-pressed={view === each}
              onClick={() => setView(each)}
            >
              {t.results.views[each]}
            </button>
          ))}
        </span>
      </div>
      <Problem error={newest.error ?? error} />
      {view === 'timeline' ? <Timeline entries={shown} /> : <Conversation entries={shown} />}
      {hasMore && (
        <p class="pager">
          <ActionButton act={readOlder} onError={setError}>
            {t.results.older}
          </ActionButton>
        </p>
      )}
    </section>
  );
}

/** Only what is newer than the end of every list that goes on: before that, entries of another list would be missing. */
function shownEntries({ entries, next }: Read, subscriber: Subscriber): Entry[] {
  if (Object.keys(next).length < kinds.length) return [];
  const subscribed: Entry = {
    key: 'subscribed',
    at: subscriber.created_at,
    icon: 'users',
    title: t.results.subscribedEntry,
  };
  const all = [...entries.values()];
  const ends = kinds
    .filter((kind) => next[kind])
    .map((kind) =>
      Math.min(
        ...all.filter((entry) => kindOf(entry) === kind).map(({ at, listedAt = at }) => Date.parse(listedAt)),
      ),
    );
  const horizon = Math.max(0, ...ends.filter(Number.isFinite));
  return [...all, subscribed]
    .filter(({ at }) => Date.parse(at) >= horizon)
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

function kindOf({ key }: Entry): Kind {
  return key.split(' ')[0] as Kind;
}

function Timeline({ entries }: { entries: Entry[] }) {
  return (
    <ol class="timeline">
      {entries.map((entry) => (
        <li key={entry.key}>
          <Icon name={entry.icon} small />
          <div>
            <p class="timeline-line">
              {entry.to ? <Link to={entry.to}>{entry.title}</Link> : entry.title}{' '}
              {entry.state && <Badge tone={entry.state.tone}>{entry.state.text}</Badge>}{' '}
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
  );
}

/** Messages as a chat shows them: the oldest first, those of the bot on the left, taps of the subscriber on the right. */
function Conversation({ entries }: { entries: Entry[] }) {
  if (entries.length === 0) return <p class="hint">{t.results.conversationEmpty}</p>;
  return (
    <ol class="conversation">
      {[...entries].reverse().map((entry) => (
        <li key={entry.key} class={entry.state ? 'from-bot' : 'from-person'}>
          {entry.state ? (
            <>
              <p class="message-text">{entry.message?.text ?? t.results.hiddenText}</p>
              <p class="hint">
                {entry.message?.status !== 'sent' && (
                  <Badge tone={entry.state.tone}>{entry.state.text}</Badge>
                )}{' '}
                {entry.message?.reason && `${reasonText(entry.message.reason)} · `}
                <Link to={`/dashboard/messages/${entry.message?.delivery_id}`}>
                  <Time at={entry.at} />
                </Link>
              </p>
            </>
          ) : (
            <p>
              {t.results.tappedAt}{' '}
              <span class="hint">
                <Time at={entry.at} />
              </span>
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

function loginEntry(session: SessionRecord): Entry {
  return {
    key: `logins ${session.session_id}`,
    at: session.created_at,
    icon: 'key',
    title: session.flow === 'push' ? t.flows.push : t.loginEntry,
    to: `/dashboard/logins/${session.session_id}`,
    state: loginState(session),
    ...(session.message ? { detail: session.message } : {}),
    ...(session.user_agent || session.client_ip ? { session } : {}),
  };
}

function messageEntries(message: MessageRecord): Entry[] {
  const sent: Entry = {
    key: `messages ${message.delivery_id}`,
    at: message.created_at,
    icon: 'envelope',
    title: t.messageSources[message.source],
    to: `/dashboard/messages/${message.delivery_id}`,
    state: messageState(message),
    detail: [message.text, message.reason && reasonText(message.reason)].filter(Boolean).join(' · '),
    message,
  };
  const taps = message.clicks.map(({ clicked_at }, index): Entry => ({
    key: `taps ${message.delivery_id} ${index}`,
    at: clicked_at,
    icon: 'cursor',
    title: t.buttonTap,
    detail: message.text,
    message,
  }));
  return [sent, ...taps];
}

function eventEntry(event: TrackedEvent): Entry {
  return {
    key: `events ${event.event_id} ${event.received_at}`,
    at: event.occurred_at,
    listedAt: event.received_at,
    icon: 'bolt',
    title: t.trackedEntry(event.name),
    detail: Object.entries(event.properties)
      .map(([key, value]) => `${key}: ${String(value)}`)
      .join(' · '),
  };
}
