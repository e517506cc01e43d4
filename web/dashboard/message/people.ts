import { useEffect, useState } from 'preact/hooks';
import { api, type Subscriber } from '../api';
import { useResource, useSettled } from '../resource';

/** As many as are worth looking at. */
const SHOWN = 4;

/** Active subscribers: the first ones that a search finds, or the newest. Null until they have been read. */
function useActive(q: string, channel: string, tag: string): Subscriber[] | null {
  const found = useResource(
    async () => (await api.subscribers({ q, channel, active: 'true', tag, cursor: null })).data,
    `${channel} ${tag} ${q}`,
  );
  return found.data;
}

/** The newest active subscribers. Those of the audience before stay until the next ones are there. */
export function usePeople(channel = '', tag = ''): Subscriber[] | null {
  const [last, setLast] = useState<Subscriber[] | null>(null);
  const found = useActive('', channel, tag);
  useEffect(() => {
    if (found) setLast(found);
  }, [found]);
  return found ?? last;
}

export function useFewPeople(channel = '', tag = ''): Subscriber[] | null {
  return usePeople(channel, tag)?.slice(0, SHOWN) ?? null;
}

/** The first ones that the typed text finds. Null until they have been read: Enter must not pick from an earlier list. */
export function useFoundPeople(typed: string, channel = ''): Subscriber[] | null {
  const q = useSettled(typed.trim());
  const found = useActive(q, channel, '');
  return q === typed.trim() ? (found?.slice(0, SHOWN) ?? null) : null;
}

export const personText = ({ first_name, username }: Pick<Subscriber, 'first_name' | 'username'>) =>
  username ? `${first_name} @${username}` : first_name;
