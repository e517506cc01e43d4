import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { can } from '../access';
import {
  Badge,
  Chip,
  ClearFilters,
  Icon,
  MessengerIcon,
  NoMatch,
  Pager,
  SearchField,
  Select,
  SubscriberFilter,
} from '../elements';
import type { Ticket } from '../helpdesk-api';
import type { KnownSubscribers } from '../people';
import { Link, type useFilters, type usePages } from '../router';
import { t } from '../texts';
import { BulkBar } from './bulk-bar';
import {
  agentName,
  agentOptions,
  customerName,
  priorityOptions,
  shortTime,
  ticketPath,
  ticketState,
  typeName,
  typeOptions,
  type Desk,
} from './desk';
import { KeyHelp } from './key-help';
import { useUnread } from './seen';
import { words } from './texts';
import { namesAssignee, viewOf, type filterNames } from './views';

type Filters = ReturnType<typeof useFilters<(typeof filterNames)[number]>>;

export function TicketList(props: {
  /** Null until they are read. */
  tickets: Ticket[] | null;
  openId: string | undefined;
  desk: Desk;
  people: KnownSubscribers;
  filters: Filters;
  pages: ReturnType<typeof usePages>;
  next: string | null;
  onChanged: () => Promise<void>;
}) {
  const w = words();
  const { tickets, desk, filters } = props;
  const [chosen, setChosen] = useState<string[]>([]);
  const isUnread = useUnread();
  const isSelectable = can('helpdesk');
  // A ticket that has left the list is not changed unseen.
  const selected = chosen.filter((id) => tickets?.some(({ ticket_id }) => ticket_id === id));
  return (
    <section class="ticket-pane" aria-label={w.list}>
      <ListFilters desk={desk} filters={filters} />
      {isSelectable && tickets && tickets.length > 0 && (
        <BulkBar
          desk={desk}
          all={tickets.map(({ ticket_id }) => ticket_id)}
          selected={selected}
          onSelect={setChosen}
          onChanged={props.onChanged}
        />
      )}
      {tickets === null && <p class="asking">{t.loading}</p>}
      {tickets?.length === 0 && <NoMatch icon="inbox" title={w.noMatch} filters={filters} />}
      {tickets && tickets.length > 0 && (
        <ul class="tickets">
          {tickets.map((ticket) => (
            <li key={ticket.ticket_id} class={rowClass(ticket, isUnread(ticket), props.openId)}>
              {isSelectable && (
                <input
                  type="checkbox"
                  aria-label={w.selectTicket(ticket.number)}
                  checked={selected.includes(ticket.ticket_id)}
                  onChange={(event) =>
                    setChosen([
                      ...selected.filter((id) => id !== ticket.ticket_id),
                      ...(event.currentTarget.checked ? [ticket.ticket_id] : []),
                    ])
                  }
                />
              )}
              <Link to={ticketPath(ticket.ticket_id)} current={ticket.ticket_id === props.openId}>
                <TicketLine ticket={ticket} desk={desk} people={props.people} isUnread={isUnread(ticket)} />
              </Link>
            </li>
          ))}
        </ul>
      )}
      <Pager pages={props.pages} next={props.next} />
      {props.openId !== undefined && <KeyHelp />}
    </section>
  );
}

function rowClass({ status, overdue, ticket_id }: Ticket, isUnread: boolean, openId: string | undefined) {
  const marks = [
    isUnread && ticket_id !== openId && 'unread',
    overdue && 'overdue',
    status === 'closed' && 'closed',
  ];
  return marks.filter(Boolean).join(' ');
}

function TicketLine(props: { ticket: Ticket; desk: Desk; people: KnownSubscribers; isUnread: boolean }) {
  const w = words();
  const { ticket, desk } = props;
  const state = ticketState(ticket.status);
  const type = desk.types.find(({ type_id }) => type_id === ticket.type_id);
  return (
    <>
      <span class="ticket-who">
        <span class="clip">
          {ticket.channel && <MessengerIcon channel={ticket.channel} />}{' '}
          <bdi>{customerName(ticket, props.people)}</bdi>
        </span>
        {props.isUnread && <span class="visually-hidden">{w.unread}</span>}
        <span class="hint figure">#{ticket.number}</span>
        <time class="hint figure" dateTime={ticket.updated_at} title={ticket.updated_at}>
          {shortTime(ticket.updated_at)}
        </time>
      </span>
      <span class="ticket-about">
        {ticket.subject !== null && <strong>{ticket.subject}</strong>}
        {ticket.subject !== null && ticket.preview !== null && ' · '}
        {ticket.preview !== null && <span>{ticket.preview}</span>}
      </span>
      <span class="ticket-marks">
        <Badge tone={state.tone}>{state.text}</Badge>
        {ticket.overdue && <Badge tone="bad">{w.overdue}</Badge>}
        {(ticket.priority === 'urgent' || ticket.priority === 'high') && (
          <Badge tone={ticket.priority === 'urgent' ? 'bad' : 'warn'}>{w.priorities[ticket.priority]}</Badge>
        )}
        {type && <Chip>{typeName(type)}</Chip>}
        {ticket.csat_score !== null && <Chip title={w.rating(ticket.csat_score)}>★ {ticket.csat_score}</Chip>}
        {ticket.assignee_id !== null && <span class="hint clip">{agentName(desk, ticket.assignee_id)}</span>}
      </span>
    </>
  );
}

function ListFilters({ desk, filters }: { desk: Desk; filters: Filters }) {
  const w = words();
  const { values } = filters;
  const hasMore = [values.priority, values.type, values.assignee, values.subscriber].some(Boolean);
  const [isOpen, setOpen] = useState(hasMore);
  const any = { value: '', text: t.any };
  return (
    <div class="filters">
      <SearchField
        label={t.search}
        placeholder={w.search}
        maxLength={limits.ticketSearchLength}
        value={values.q}
        onChange={(value) => filters.set('q', value)}
      />
      <button type="button" class="btn" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="funnel" small /> {w.filters}
      </button>
      {isOpen && (
        <>
          <Select
            label={w.priority}
            value={values.priority}
            onChange={(value) => filters.set('priority', value)}
            options={[any, ...priorityOptions()]}
          />
          {desk.types.length > 0 && (
            <Select
              label={w.type}
              value={values.type}
              onChange={(value) => filters.set('type', value)}
              options={[any, ...typeOptions(desk)]}
            />
          )}
          {!namesAssignee(viewOf(values)) && (
            <Select
              label={w.assignee}
              value={values.assignee}
              onChange={(value) => filters.set('assignee', value)}
              options={[any, { value: 'none', text: w.noAssignee }, ...agentOptions(desk)]}
            />
          )}
          <SubscriberFilter
            value={values.subscriber}
            onChange={(value) => filters.set('subscriber', value)}
          />
        </>
      )}
      {hasMore && <ClearFilters filters={filters} />}
    </div>
  );
}
