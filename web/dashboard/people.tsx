import { api, type Subscriber } from './api';
import { useResource } from './resource';
import { Link } from './router';
import { t } from './texts';

/** The subscribers of a page's rows, by id, in one request. A removed one is missing. */
export function useSubscribers(ids: (string | null)[]): ReadonlyMap<string, Subscriber> | null {
  const wanted = [...new Set(ids.filter((id) => id !== null))].sort();
  const found = useResource(async () => {
    if (wanted.length === 0) return new Map<string, Subscriber>();
    const { data } = await api.subscribersById(wanted);
    return new Map(data.map((subscriber) => [subscriber.subscriber_id, subscriber]));
  }, wanted.join());
  return found.data;
}

/**
 * A subscriber by name, with the way to their page. `known` is null until the names have been read; `short` leaves the
 * username out.
 */
export function PersonLink(props: {
  id: string | null;
  known: ReadonlyMap<string, Subscriber> | null;
  short?: boolean;
}) {
  const { id, known } = props;
  if (id === null) return <span class="hint">{t.results.removedPerson}</span>;
  const subscriber = known?.get(id);
  if (!subscriber) {
    return <span class="hint">{known === null ? '…' : t.results.removedPerson}</span>;
  }
  return (
    <>
      <Link to={`/dashboard/subscribers/${id}`} class="clip">
        <bdi>{subscriber.first_name}</bdi>
      </Link>{' '}
      {!props.short && subscriber.username && <span class="hint clip">@{subscriber.username}</span>}
    </>
  );
}
