import { useEffect, useState } from 'preact/hooks';
import { isUuid } from '../../src/base/contract/ids';
import { limits } from '../../src/base/contract/limits';
import type { IconName } from '../shared/icons';
import { api } from './api';
import { Dialog, Icon, Problem, SuggestInput } from './elements';
import { dateAndTime } from './format';
import { helpdesk } from './helpdesk-api';
import { menuGroups, overviewPage } from './menu';
import { useResource, useSettled } from './resource';
import { go } from './router';
import { deliveryState, loginState } from './states';
import { t } from './texts';

interface Found {
  /** The path of the page. */
  key: string;
  icon: IconName;
  text: string;
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
  const [typed, setTyped] = useState('');
  const q = useSettled(typed.trim());
  const records = useResource(() => findRecords(q), q);
  const isRead = q === typed.trim() && records.data !== null;
  const found = [...findPages(typed.trim()), ...(isRead ? (records.data ?? []) : [])];
  const leave = ({ key }: Found) => {
    onClose();
    onLeave();
    go(key);
  };
  return (
    <Dialog title={t.palette} class="palette" onClose={onClose}>
      <SuggestInput
        attributes={{ 'aria-label': t.paletteHint }}
        listLabel={t.palette}
        isStaying
        hasIcon
        placeholder={t.paletteHint}
        maxLength={limits.webhookSearchLength.max}
        value={typed}
        none={isRead ? t.paletteNothing : undefined}
        suggestions={found.map((each) => ({ ...each, shown: <Shown {...each} /> }))}
        onInput={setTyped}
        onPick={leave}
      />
      <Problem error={records.error} />
    </Dialog>
  );
}

function Shown({ icon, text, detail }: Found) {
  return (
    <>
      <span class="clip">
        <Icon name={icon} small /> {text}
      </span>
      <span class="hint clip">{detail}</span>
    </>
  );
}

function findPages(typed: string): Found[] {
  const wanted = typed.toLowerCase();
  const overview = overviewPage();
  const all = [
    { key: overview.path, icon: overview.icon, text: overview.title, detail: '' },
    ...menuGroups().flatMap((group) =>
      group.pages.flatMap(({ path, title, icon, tabs }) =>
        (tabs ?? [{ path, title }]).map((page) => ({
          key: page.path,
          icon,
          text: page.title,
          detail: group.title,
        })),
      ),
    ),
    { key: '/dashboard/account', icon: 'login' as const, text: t.account, detail: '' },
  ];
  return all.filter(({ text, detail }) => `${detail} ${text}`.toLowerCase().includes(wanted));
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
      key: `/dashboard/inbox/${ticket.ticket_id}`,
      icon: 'inbox' as const,
      text: t.ticketEntry(ticket.number, ticket.subject ?? ticket.preview ?? ''),
      detail: `${t.ticketStates[ticket.status]} · ${dateAndTime(ticket.created_at)}`,
    })),
    ...people.map(({ subscriber_id, first_name, username, external_id }) => ({
      key: `/dashboard/subscribers/${subscriber_id}`,
      icon: 'users' as const,
      text: first_name,
      detail: username ? `@${username}` : (external_id ?? t.subscriber),
    })),
    ...deliveries.data.slice(0, MOST).map((delivery) => ({
      key: `/dashboard/deliveries/${delivery.id}`,
      icon: 'list' as const,
      text: delivery.event,
      detail: `${deliveryState(delivery.status).text} · ${dateAndTime(delivery.created_at)}`,
    })),
    ...sessions.slice(0, MOST).map((session) => ({
      key: `/dashboard/logins/${session.session_id}`,
      icon: 'login' as const,
      text: t.loginOf(session.first_name ?? t.removedSubscriber),
      detail: `${loginState(session).text} · ${dateAndTime(session.created_at)}`,
    })),
    ...(isUuid(q)
      ? [{ key: `/dashboard/logins/${q}`, icon: 'login' as const, text: t.loginById, detail: q }]
      : []),
  ];
}

async function sessionsOf(subscriberId: string | undefined) {
  if (subscriberId === undefined) return [];
  return (await api.logins({ subscriber_id: subscriberId, cursor: null })).data;
}
