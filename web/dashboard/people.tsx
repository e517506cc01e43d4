import { useRef } from 'preact/hooks';
import { api, type Subscriber } from './api';
import { useResource } from './resource';
import { Link } from './router';
import { t } from './texts';

/** Subscribers by id. Once all are read, one that is missing was removed. */
export interface KnownSubscribers {
  found: ReadonlyMap<string, Subscriber>;
  state: 'reading' | 'read' | 'failed';
}

/** The subscribers of a page's rows in one request. Those of the rows before stay until the next ones are there. */
export function useSubscribers(ids: (string | null)[]): KnownSubscribers {
  const wanted = [...new Set(ids.filter((id) => id !== null))].sort();
  const last = useRef<ReadonlyMap<string, Subscriber>>(new Map());
  const asked = useResource(async () => {
    if (wanted.length === 0) return new Map<string, Subscriber>();
    const { data } = await api.subscribersById(wanted);
    return new Map(data.map((subscriber) => [subscriber.subscriber_id, subscriber]));
  }, wanted.join());
  if (asked.data) last.current = asked.data;
  return { found: last.current, state: asked.data ? 'read' : asked.error ? 'failed' : 'reading' };
}

/** A subscriber by name and username, with the way to their page. */
export function PersonLink(props: { id: string | null; known: KnownSubscribers }) {
  const { id, known } = props;
  if (id === null) return <span class="hint">{t.results.removedPerson}</span>;
  const subscriber = known.found.get(id);
  if (!subscriber) {
    if (known.state === 'failed') return <code title={id}>{id.slice(0, 8)}</code>;
    return <span class="hint">{known.state === 'reading' ? '…' : t.results.removedPerson}</span>;
  }
  return (
    <>
      <Link to={`/dashboard/subscribers/${id}`} class="clip">
        <bdi>{subscriber.first_name}</bdi>
      </Link>{' '}
      {subscriber.username && <span class="hint clip">@{subscriber.username}</span>}
    </>
  );
}
