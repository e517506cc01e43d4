import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { isUuid } from '../../src/contract/ids';
import { limits } from '../../src/contract/limits';
import type { IconName } from '../shared/icons';
import { api } from './api';
import { Dialog, Icon, Problem } from './elements';
import { dateAndTime } from './format';
import { helpdesk } from './helpdesk-api';
import { menuGroups, overviewPage } from './menu';
import { useResource, useSettled } from './resource';
import { go } from './router';
import { deliveryState, loginState } from './states';
import { t } from './texts';

interface Found {
  to: string;
  icon: IconName;
  title: string;
  detail: string;
}

/** Of each kind; the lists themselves have all of them. */
const MOST = 5;
const SHORTEST = 2;

/** Ctrl-K or ⌘K, anywhere. */
export function usePalette(): { isOpen: boolean; open: () => void; close: () => void } {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      // Above another dialog it would hide what is being typed there.
      if (!document.querySelector('dialog[open]')) setOpen(true);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) };
}

/** Finds pages by their names; tickets, subscribers, deliveries and sessions by what the API finds them by. */
export function Palette({ onClose, onLeave }: { onClose: () => void; onLeave: () => void }) {
  const list = useId();
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const options = useRef<HTMLUListElement>(null);
  const q = useSettled(typed.trim());
  const records = useResource(() => findRecords(q), q);
  const found = [...findPages(typed.trim()), ...(q === typed.trim() ? (records.data ?? []) : [])];
  useEffect(() => setActive(0), [typed]);
  useEffect(() => {
    options.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const leave = ({ to }: Found) => {
    onClose();
    onLeave();
    go(to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = found[active];
    if (step !== undefined) setActive((active + step + found.length) % Math.max(1, found.length));
    else if (event.key === 'Enter' && chosen) leave(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={t.palette} class="palette" onClose={onClose}>
      <span class="search-box">
        <Icon name="search" small />
        <input
          type="text"
          role="combobox"
          autocomplete="off"
          aria-label={t.paletteHint}
          aria-autocomplete="list"
          aria-expanded="true"
          aria-controls={list}
          {...(found[active] ? { 'aria-activedescendant': `${list}-${active}` } : {})}
          placeholder={t.paletteHint}
          maxLength={limits.webhookSearchLength.max}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </span>
      <Problem error={records.error} />
      <ul ref={options} id={list} role="listbox" aria-label={t.palette}>
        {found.map((each, index) => (
          <li
            key={each.to}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === active}
            onMouseMove={() => setActive(index)}
            onClick={() => leave(each)}
          >
            <span class="clip">
              <Icon name={each.icon} small /> {each.title}
            </span>
            <span class="hint clip">{each.detail}</span>
          </li>
        ))}
        {found.length === 0 && q === typed.trim() && records.data && (
          <li role="option" aria-disabled="true" aria-selected={false} class="hint">
            {t.paletteNothing}
          </li>
        )}
      </ul>
    </Dialog>
  );
}

function findPages(typed: string): Found[] {
  const wanted = typed.toLowerCase();
  const overview = overviewPage();
  const all = [
    { to: overview.path, icon: overview.icon, title: overview.title, detail: '' },
    ...menuGroups().flatMap((group) =>
      group.pages.flatMap(({ path, title, icon, tabs }) =>
        (tabs ?? [{ path, title }]).map((page) => ({
          to: page.path,
          icon,
          title: page.title,
          detail: group.title,
        })),
      ),
    ),
    { to: '/dashboard/account', icon: 'login' as const, title: t.account, detail: '' },
  ];
  return all.filter(({ title, detail }) => `${detail} ${title}`.toLowerCase().includes(wanted));
}

async function findRecords(q: string): Promise<Found[]> {
  const isNumber = /^#?\d+$/.test(q);
  if (q.length < SHORTEST && !isNumber) return [];
  const [subscribers, deliveries, tickets] = await Promise.all([
    api.subscribers({ q, channel: '', active: '', tag: '', cursor: null }),
    q.length < limits.webhookSearchLength.min
      ? { data: [] }
      : api.allDeliveries({ q, status: '', event: '', endpoint_id: '', since: '', cursor: null }),
    helpdesk.tickets({ q: q.slice(0, limits.ticketSearchLength), cursor: null, limit: MOST }),
  ]);
  const people = subscribers.data.slice(0, MOST);
  // A session has no words of its own to be found by: it is found by its person, or by its id.
  const sessions = await sessionsOf(people[0]?.subscriber_id);
  return [
    ...tickets.data.map((ticket) => ({
      to: `/dashboard/inbox/${ticket.ticket_id}`,
      icon: 'inbox' as const,
      title: t.ticketEntry(ticket.number, ticket.subject ?? ticket.preview ?? ''),
      detail: `${t.ticketStates[ticket.status]} · ${dateAndTime(ticket.created_at)}`,
    })),
    ...people.map(({ subscriber_id, first_name, username, external_id }) => ({
      to: `/dashboard/subscribers/${subscriber_id}`,
      icon: 'users' as const,
      title: first_name,
      detail: username ? `@${username}` : (external_id ?? t.subscriber),
    })),
    ...deliveries.data.slice(0, MOST).map((delivery) => ({
      to: `/dashboard/deliveries/${delivery.id}`,
      icon: 'list' as const,
      title: delivery.event,
      detail: `${deliveryState(delivery.status).text} · ${dateAndTime(delivery.created_at)}`,
    })),
    ...sessions.slice(0, MOST).map((session) => ({
      to: `/dashboard/logins/${session.session_id}`,
      icon: 'login' as const,
      title: t.loginOf(session.first_name ?? t.removedSubscriber),
      detail: `${loginState(session).text} · ${dateAndTime(session.created_at)}`,
    })),
    ...(isUuid(q)
      ? [{ to: `/dashboard/logins/${q}`, icon: 'login' as const, title: t.loginById, detail: q }]
      : []),
  ];
}

async function sessionsOf(subscriberId: string | undefined) {
  if (subscriberId === undefined) return [];
  return (await api.logins({ subscriber_id: subscriberId, cursor: null })).data;
}
