import { useEffect, useState } from 'preact/hooks';
import { api, type Subscriber } from '../api';
import { useResource } from '../resource';

/** As many as are worth looking at. */
const SHOWN = 4;

/**
 * Active subscribers: the first ones that a search finds, or the newest. Those of the search before stay until the next
 * ones are there; null until the first.
 */
export function usePeople(q: string, channel = '', tag = ''): Subscriber[] | null {
  const [last, setLast] = useState<Subscriber[] | null>(null);
  const found = useResource(
    async () => (await api.subscribers({ q, channel, active: 'true', tag, cursor: null })).data,
    `${channel} ${tag} ${q}`,
  );
  useEffect(() => {
    if (found.data) setLast(found.data);
  }, [found.data]);
  return found.data ?? last;
}

export function useFewPeople(q: string, channel = '', tag = ''): Subscriber[] | null {
  return usePeople(q, channel, tag)?.slice(0, SHOWN) ?? null;
}

export const personText = ({ first_name, username }: Pick<Subscriber, 'first_name' | 'username'>) =>
  username ? `${first_name} @${username}` : first_name;
