import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { download } from '../api';
import { ActionButton, Badge, Icon, Problem } from '../elements';
import { hourOfDay } from '../format';
import { helpdesk, type Attachment, type Ticket, type TicketMessage } from '../helpdesk-api';
import { reasonText } from '../pages/send-reason';
import { useResource } from '../resource';
import { messageState } from '../states';
import { locale, t } from '../texts';
import { agentName, type Desk } from './desk';
import { words } from './texts';

/** The messages of a ticket: the newest page follows the changes, older ones are read when they are asked for. */
export function useMessages(ticketId: string) {
  const [read, setRead] = useState<{ messages: Map<string, TicketMessage>; next: string | null | undefined }>(
    {
      messages: new Map(),
      next: undefined,
    },
  );
  const load = async (cursor: string | null) => {
    const page = await helpdesk.messages(ticketId, cursor);
    setRead((before) => {
      const messages = new Map(before.messages);
      for (const message of page.data) messages.set(message.message_id, message);
      // The newest page is read again and again; where the list goes on is what the oldest page said.
      const isFirst = cursor === null && before.next !== undefined;
      return { messages, next: isFirst ? before.next : page.next_cursor };
    });
    return true;
  };
  const newest = useResource(() => load(null), ticketId, 'tickets');
  const sorted = [...read.messages.values()].sort(
    (a, b) => Date.parse(a.created_at) - Date.parse(b.created_at) || (a.message_id < b.message_id ? -1 : 1),
  );
  return {
    list: newest.data ? sorted : null,
    error: newest.error,
    reload: newest.reload,
    earlier: read.next ? () => load(read.next ?? null) : null,
  };
}

export type Messages = ReturnType<typeof useMessages>;

export function Timeline(props: { ticket: Ticket; desk: Desk; customer: string; messages: Messages }) {
  const w = words();
  const { list, earlier } = props.messages;
  const [error, setError] = useState<Error | null>(null);
  const place = useEndInSight(list?.at(-1)?.message_id);
  return (
    <div ref={place} class="ticket-messages" role="region" aria-label={w.conversation} tabIndex={0}>
      {earlier && (
        <p class="pager">
          <ActionButton small act={earlier} onError={setError}>
            {w.earlier}
          </ActionButton>
        </p>
      )}
      <Problem error={error} />
      {list === null && !props.messages.error && <p class="asking">{t.loading}</p>}
      <ol class="thread">
        {list?.map((message, index) => {
          const day = dayOf(message.created_at);
          const isNewDay = index === 0 || dayOf(list[index - 1]?.created_at ?? '') !== day;
          return [
            isNewDay && (
              <li key={day} class="day">
                <span>{day}</span>
              </li>
            ),
            <Entry key={message.message_id} message={message} {...props} />,
          ];
        })}
      </ol>
    </div>
  );
}

/**
 * Keeps the end of the conversation in sight when it is opened and when something is added, unless the reader has scrolled
 * up. On a phone the page scrolls, on wider screens the conversation.
 */
function useEndInSight(newest: string | undefined) {
  const place = useRef<HTMLDivElement>(null);
  const wasAtEnd = useRef(true);
  useEffect(() => {
    const remember = () => {
      const scroller = scrollerOf(place.current);
      wasAtEnd.current = scroller.scrollTop + scroller.clientHeight > scroller.scrollHeight - 120;
    };
    document.addEventListener('scroll', remember, { capture: true, passive: true });
    return () => document.removeEventListener('scroll', remember, { capture: true });
  }, []);
  useLayoutEffect(() => {
    if (newest === undefined || !wasAtEnd.current) return;
    // After the box below has its height.
    requestAnimationFrame(() => {
      const scroller = scrollerOf(place.current);
      scroller.scrollTop = scroller.scrollHeight;
    });
  }, [newest]);
  return place;
}

function scrollerOf(place: HTMLElement | null): Element {
  const own = place && getComputedStyle(place).overflowY === 'auto' ? place : null;
  return own ?? document.scrollingElement ?? document.documentElement;
}

function dayOf(at: string): string {
  const w = words();
  const date = new Date(at);
  const today = new Date();
  const yesterday = new Date();
  yesterday.setDate(today.getDate() - 1);
  if (date.toDateString() === today.toDateString()) return w.today;
  if (date.toDateString() === yesterday.toDateString()) return w.yesterday;
  const year = date.getFullYear() === today.getFullYear() ? {} : ({ year: 'numeric' } as const);
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', ...year }).format(date);
}

function Entry(props: { message: TicketMessage; ticket: Ticket; desk: Desk; customer: string }) {
  const w = words();
  const { message, ticket, desk } = props;
  const author =
    message.from === 'customer'
      ? props.customer
      : message.member_id === null
        ? w.fromApi
        : agentName(desk, message.member_id);
  if (message.from === 'system') {
    const text = changeText(message, desk);
    return (
      <li class="state-change hint">
        {message.member_id === null ? text : w.byMember(text, author)} · <Clock at={message.created_at} />
      </li>
    );
  }
  const kind = message.internal ? 'internal' : message.from === 'customer' ? 'theirs' : 'ours';
  return (
    <li class={`entry ${kind}`}>
      <p class="hint entry-head">
        <bdi>{author}</bdi>
        {message.internal && <strong>{w.note}</strong>}
        <Clock at={message.created_at} />
        <DeliveryState message={message} />
      </p>
      {message.text !== '' && <p class="message-text">{message.text}</p>}
      {message.attachments.map((attachment) => (
        <AttachmentLink key={attachment.attachment_id} ticketId={ticket.ticket_id} attachment={attachment} />
      ))}
    </li>
  );
}

function Clock({ at }: { at: string }) {
  return (
    <time class="figure" dateTime={at} title={at}>
      {hourOfDay(at)}
    </time>
  );
}

function changeText({ change, text }: TicketMessage, desk: Desk): string {
  const w = words();
  if (!change) return text;
  if (change.field === 'assignee_id') {
    return change.after === null ? w.unassigned : w.assignedTo(agentName(desk, change.after));
  }
  const states: Record<string, string> = t.ticketStates;
  const nameOf = (status: string | null) => states[status ?? ''] ?? status ?? '';
  return w.statusChanged(nameOf(change.before), nameOf(change.after));
}

/** Whether the messenger has taken a reply, and why not. */
function DeliveryState({ message: { delivery } }: { message: TicketMessage }) {
  if (!delivery) return null;
  const state = messageState(delivery);
  return (
    <>
      <Badge tone={state.tone}>{state.text}</Badge>
      {delivery.reason && <span class="hint bad">{reasonText(delivery.reason)}</span>}
    </>
  );
}

/** For files that the messenger gives no name. */
const usualNames = { photo: 'photo.jpg', video: 'video.mp4', voice: 'voice.ogg', document: 'file' } as const;

/** Files are saved, never shown: they come from strangers. */
function AttachmentLink({ ticketId, attachment }: { ticketId: string; attachment: Attachment }) {
  const w = words();
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const path = helpdesk.attachmentPath(ticketId, attachment.attachment_id);
  const name = attachment.name ?? w.attachments[attachment.type];
  const save = async () => {
    if (isBusy) return;
    setBusy(true);
    setError(null);
    await download(path, attachment.name ?? usualNames[attachment.type]).catch(setError);
    setBusy(false);
  };
  return (
    <>
      <a
        class="attachment"
        href={path}
        download
        aria-busy={isBusy}
        title={w.download(name)}
        onClick={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Icon name="arrowDown" small /> <span class="clip">{name}</span>
        {attachment.bytes !== null && <span class="hint">{size(attachment.bytes)}</span>}
      </a>
      <Problem error={error} />
    </>
  );
}

function size(bytes: number): string {
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kilobyte'] : [bytes / 1_000_000, 'megabyte'];
  return new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: 1 }).format(value);
}
