import { useState } from 'preact/hooks';
import { helpdesk, type HelpdeskSettings } from '../helpdesk-api';
import { ActionButton, Allowed, DownloadButton, Empty, Icon, Problem, toast } from '../elements';
import { query } from '../api';
import { number } from '../format';
import { useCurrentInSight } from '../menu';
import { useSubscribers } from '../people';
import { useResource } from '../resource';
import { go, Heading, Link, useFilters, usePages } from '../router';
import { t } from '../texts';
import { OpenTicket } from './conversation';
import { ownId, ticketPath, type Desk } from './desk';
import { KeyHelp } from './key-help';
import { useKeys } from './keys';
import './styles';
import { SupportLinks } from './support-links';
import { words } from './texts';
import { TicketList } from './ticket-list';
import { countOf, filterNames, filterOf, viewOf, views } from './views';

const PAGE = 50;

/** The tickets on the left, the open one beside them; on a phone one of the two. */
export function Inbox({ id }: { id: string | undefined }) {
  const w = words();
  const agents = useResource(helpdesk.agents, 'agents');
  const types = useResource(helpdesk.types, 'types');
  const settings = useResource(helpdesk.settings, 'settings');
  const desk: Desk = { agents: agents.data?.data ?? [], types: types.data?.data ?? [] };
  const me = ownId(desk);
  const filters = useFilters(filterNames);
  const pages = usePages();
  const filter = filterOf(filters.values, me);
  // Whose tickets are "mine" is known with the agents.
  const isKnown = agents.data !== null || agents.error !== null;
  const found = useResource(
    async () =>
      isKnown ? helpdesk.tickets({ ...filter, sort: 'updated', cursor: pages.cursor, limit: PAGE }) : null,
    JSON.stringify([filter, pages.cursor, isKnown]),
    'tickets',
  );
  const tickets = found.data?.data ?? null;
  const people = useSubscribers((tickets ?? []).map(({ subscriber_id }) => subscriber_id));
  const step = (by: 1 | -1) => {
    if (!tickets || tickets.length === 0) return;
    const at = tickets.findIndex(({ ticket_id }) => ticket_id === id);
    const next = tickets[at === -1 ? 0 : at + by];
    if (next) go(ticketPath(next.ticket_id));
  };
  useKeys({ j: () => step(1), k: () => step(-1) });
  const isEmpty = tickets?.length === 0 && !filters.isFiltered;
  return (
    <div class={id === undefined ? 'inbox' : 'inbox opened'}>
      <div class="inbox-top">
        <div class="heading">
          {id === undefined ? <Heading title={t.inbox} /> : <p class="inbox-title">{t.inbox}</p>}
          <span class="actions">
            <DownloadButton
              path={`/v1/export/tickets${query(filter)}`}
              filename="tickets.csv"
              text={t.exportCsv}
            />
            <Allowed scope="manage">
              <Link to="/dashboard/inbox/settings" class="btn">
                <Icon name="cog" small /> {t.settings}
              </Link>
            </Allowed>
          </span>
        </div>
        <Views hasOwn={me !== null} />
      </div>
      <Problem error={found.error ?? agents.error ?? types.error ?? settings.error} />
      {!isEmpty && settings.data?.enabled === false && <SupportIsOff onChanged={settings.reload} />}
      {isEmpty && id === undefined ? (
        settings.data && <NoTickets settings={settings.data} onChanged={settings.reload} />
      ) : (
        <div class="panes">
          <TicketList
            tickets={tickets}
            openId={id}
            desk={desk}
            people={people}
            filters={filters}
            pages={pages}
            next={found.data?.next_cursor ?? null}
            onChanged={found.reload}
          />
          {id === undefined ? (
            <div class="no-ticket">
              <p>{w.chooseTicket}</p>
              <KeyHelp />
            </div>
          ) : (
            <OpenTicket key={id} id={id} desk={desk} onChanged={found.reload} />
          )}
        </div>
      )}
    </div>
  );
}

/** The lists above the inbox, with how many tickets are in them. */
function Views({ hasOwn }: { hasOwn: boolean }) {
  const w = words();
  const { values } = useFilters(filterNames);
  const counts = useResource(helpdesk.counts, 'counts', 'tickets');
  const current = viewOf(values);
  const tabs = useCurrentInSight(current);
  return (
    <nav ref={tabs} class="page-tabs" aria-label={w.list}>
      {views
        .filter((view) => view !== 'mine' || hasOwn)
        .map((view) => {
          const count = counts.data && countOf(view, counts.data);
          const isLate = view === 'overdue' && (count ?? 0) > 0;
          return (
            <Link
              key={view}
              to={`/dashboard/inbox${view === 'open' ? '' : `?view=${view}`}`}
              current={view === current}
              {...(isLate ? { class: 'late-view' } : {})}
            >
              {w.views[view]} {count !== null && <span class="count figure">{number(count)}</span>}
            </Link>
          );
        })}
    </nav>
  );
}

function NoTickets(props: { settings: HelpdeskSettings; onChanged: () => Promise<void> }) {
  const w = words();
  if (props.settings.enabled) {
    return (
      <Empty icon="inbox" title={w.noTickets} text={w.howToOpen}>
        <SupportLinks />
      </Empty>
    );
  }
  return (
    <Empty icon="inbox" title={w.off} text={w.offText}>
      <TurnOn onChanged={props.onChanged} />
    </Empty>
  );
}

/** Earlier tickets stay, and can be answered. */
function SupportIsOff({ onChanged }: { onChanged: () => Promise<void> }) {
  const w = words();
  return (
    <div class="note support-off">
      <p>
        <strong>{w.off}.</strong> {w.offText}
      </p>
      <TurnOn onChanged={onChanged} />
    </div>
  );
}

function TurnOn({ onChanged }: { onChanged: () => Promise<void> }) {
  const w = words();
  const [error, setError] = useState<Error | null>(null);
  return (
    <>
      <Problem error={error} />
      <Allowed scope="manage">
        <p class="buttons">
          <ActionButton
            kind="primary"
            act={async () => {
              await helpdesk.changeSettings({ enabled: true });
              await onChanged();
              toast(w.turnedOn);
            }}
            onError={setError}
          >
            {w.turnOn}
          </ActionButton>
        </p>
      </Allowed>
    </>
  );
}
