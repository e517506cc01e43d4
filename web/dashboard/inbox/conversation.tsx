import { useEffect, useRef, useState } from 'preact/hooks';
import { can } from '../access';
import { Badge, ChannelName, Crumbs, Icon, Loaded, Problem, Time, toast } from '../elements';
import { helpdesk, type Ticket, type TicketChanges } from '../helpdesk-api';
import { PersonLink, useSubscribers, type KnownSubscribers } from '../people';
import { useResource } from '../resource';
import { Heading } from '../router';
import { t } from '../texts';
import { customerName, ticketState, type Desk } from './desk';
import { useKeys } from './keys';
import { ReplyBox } from './reply-box';
import { markSeen } from './seen';
import { EditSubject, TicketFields } from './ticket-fields';
import { words } from './texts';
import { Timeline, useMessages } from './timeline';

/** One ticket: what it is about, its conversation, and the box for an answer. */
export function OpenTicket(props: { id: string; desk: Desk; onChanged: () => Promise<void> }) {
  const found = useResource(() => helpdesk.ticket(props.id), props.id, 'tickets');
  return (
    <section class="ticket" aria-label={words().conversation}>
      <Crumbs trail={[{ to: `/dashboard/inbox${location.search}`, text: t.inbox }]} />
      {!found.data && <Heading title={t.inbox} class="visually-hidden" />}
      {found.data && <Problem error={found.error} />}
      <Loaded resource={found}>
        {(ticket) => (
          <Conversation
            ticket={ticket}
            desk={props.desk}
            reload={async () => {
              await Promise.all([found.reload(), props.onChanged()]);
            }}
          />
        )}
      </Loaded>
    </section>
  );
}

function Conversation({ ticket, desk, reload }: { ticket: Ticket; desk: Desk; reload: () => Promise<void> }) {
  const w = words();
  const people = useSubscribers([ticket.subscriber_id]);
  const messages = useMessages(ticket.ticket_id);
  const [mode, setMode] = useState<'reply' | 'note' | 'customer'>('reply');
  const [error, setError] = useState<Error | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => markSeen(ticket), [ticket.updated_at]);
  const mayWrite = can('helpdesk');
  const change = async (changes: TicketChanges) => {
    setError(null);
    try {
      await helpdesk.changeTicket(ticket.ticket_id, changes);
      if (changes.status === 'closed') toast(w.closedToast(ticket.number));
    } catch (problem) {
      setError(problem as Error);
    }
    await Promise.all([reload(), messages.reload()]);
  };
  const begin = (next: 'reply' | 'note') => {
    setMode(next);
    box.current?.focus();
  };
  useKeys(
    mayWrite
      ? {
          r: () => begin('reply'),
          n: () => begin('note'),
          e: () => void (ticket.status !== 'closed' && change({ status: 'closed' })),
        }
      : {},
  );
  return (
    <>
      <TicketHead ticket={ticket} people={people} onChange={change} />
      <TicketFields ticket={ticket} desk={desk} onChange={change} />
      <Problem error={error ?? messages.error} />
      <Timeline ticket={ticket} desk={desk} customer={customerName(ticket, people)} messages={messages} />
      {mayWrite && (
        <ReplyBox
          ticket={ticket}
          desk={desk}
          box={box}
          mode={mode}
          onMode={setMode}
          onSent={async () => {
            await Promise.all([reload(), messages.reload()]);
          }}
        />
      )}
    </>
  );
}

function TicketHead(props: {
  ticket: Ticket;
  people: KnownSubscribers;
  onChange: (changes: TicketChanges) => Promise<void>;
}) {
  const w = words();
  const { ticket, people } = props;
  const [isEditing, setEditing] = useState(false);
  const state = ticketState(ticket.status);
  const title = ticket.subject === null ? w.untitled(ticket.number) : `#${ticket.number} ${ticket.subject}`;
  return (
    <header class="ticket-head">
      <div class="ticket-title">
        <Heading title={title}>
          <bdi>{title}</bdi>
        </Heading>
        {can('helpdesk') && (
          <button
            type="button"
            class="btn quiet small"
            aria-label={w.editSubject}
            title={w.editSubject}
            onClick={() => setEditing(true)}
          >
            <Icon name="pencil" small />
          </button>
        )}
        <Badge tone={state.tone}>{state.text}</Badge>
        {ticket.overdue && <Badge tone="bad">{w.overdue}</Badge>}
        {ticket.csat_score !== null && (
          <Badge tone={ticket.csat_score >= 4 ? 'good' : ticket.csat_score <= 2 ? 'bad' : 'warn'}>
            {w.rating(ticket.csat_score)}
          </Badge>
        )}
      </div>
      <p class="hint ticket-facts">
        <span>
          {ticket.subscriber_id === null ? (
            <bdi>{customerName(ticket, people)}</bdi>
          ) : (
            <PersonLink id={ticket.subscriber_id} known={people} />
          )}
          {ticket.customer?.name && ticket.customer.contact && <> · {ticket.customer.contact}</>}
        </span>
        {ticket.channel && <ChannelName channel={ticket.channel} />}
        <span>
          {w.openedAt} <Time at={ticket.created_at} /> {w.source[ticket.source]}
        </span>
        <DueTimes ticket={ticket} />
      </p>
      {isEditing && (
        <EditSubject ticket={ticket} onClose={() => setEditing(false)} onChange={props.onChange} />
      )}
    </header>
  );
}

/** What is still to be done, and until when; red when it is late. */
function DueTimes({ ticket }: { ticket: Ticket }) {
  const w = words();
  if (ticket.status === 'closed') return null;
  const due = [
    { text: w.replyDue, at: ticket.first_reply_at === null ? ticket.first_reply_due_at : null },
    { text: w.resolveDue, at: ticket.resolve_due_at },
  ].filter((each): each is { text: string; at: string } => each.at !== null);
  return (
    <>
      {due.map(({ text, at }) => (
        <span key={text} class={Date.parse(at) < Date.now() ? 'hint bad' : ''}>
          {text} <Time at={at} />
        </span>
      ))}
      {ticket.waiting_since !== null && ticket.first_reply_at !== null && (
        <span>
          {w.waitingSince} <Time at={ticket.waiting_since} />
        </span>
      )}
    </>
  );
}
