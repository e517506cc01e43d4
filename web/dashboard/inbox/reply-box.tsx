import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { api, type Template } from '../api';
import { Chip, Icon, Problem, Select, toast, useForm } from '../elements';
import { helpdesk, type NewTicketMessage, type Ticket } from '../helpdesk-api';
import { useDraft } from '../message/drafts';
import { useResource } from '../resource';
import { t } from '../texts';
import { givenStatuses, type Desk, type GivenStatus } from './desk';
import { words } from './texts';

export type Mode = 'reply' | 'note' | 'customer';

/** What a canned reply has beside its text. */
interface Extras {
  format?: 'markdown' | 'html';
  buttons?: Filled['buttons'];
  media?: NonNullable<Filled['media']>;
}

interface Draft {
  text: string;
  extras: Extras;
}

/** The box for replies and notes. What is typed is kept for each ticket until it is sent. */
export function ReplyBox(props: {
  ticket: Ticket;
  desk: Desk;
  box: RefObject<HTMLTextAreaElement>;
  mode: Mode;
  onMode: (mode: Mode) => void;
  onSent: () => Promise<void>;
}) {
  const w = words();
  const { ticket, mode, box } = props;
  const kept = useDraft<Draft>(`ticket.${ticket.ticket_id}`, { text: '', extras: {} });
  const { text, extras } = kept.draft;
  const [status, setStatus] = useState<GivenStatus>('waiting');
  const keyFor = useRequestKey();
  const isVirtual = ticket.customer !== null;
  const modes: Mode[] = isVirtual ? ['reply', 'note', 'customer'] : ['reply', 'note'];
  const change = (part: Partial<Draft>) => {
    const next = { ...kept.draft, ...part };
    if (next.text === '') kept.discard();
    else kept.change(next);
  };
  const form = useForm(['content'], async () => {
    const message: NewTicketMessage = {
      content: mode === 'reply' ? { text, ...extras } : { text },
      ...(mode === 'note' ? { internal: true } : {}),
      ...(mode === 'customer' ? { from: 'customer' } : {}),
      ...(mode === 'reply' ? { status } : {}),
    };
    const written = await helpdesk.write(ticket.ticket_id, message, keyFor(JSON.stringify(message)));
    kept.discard();
    props.onMode('reply');
    setStatus('waiting');
    // A reply that failed is shown as such in the conversation.
    if (written.delivery?.status !== 'failed') toast(w.sent[mode]);
    await props.onSent();
  });
  const error = form.problemOf('content');
  return (
    <form class={`panel reply-box ${mode}`} {...form.attributes}>
      <div class="reply-top">
        <div class="tabs" role="group" aria-label={w.mode}>
          {modes.map((each) => (
            <button
              key={each}
              type="button"
              class="btn small"
              aria-pressed={mode === each}
              onClick={() => {
                props.onMode(each);
                box.current?.focus();
              }}
            >
              {w.modes[each]}
            </button>
          ))}
        </div>
        {mode === 'reply' && (
          <CannedReplies ticket={ticket} desk={props.desk} draft={kept.draft} box={box} onInsert={change} />
        )}
      </div>
      <textarea
        ref={box}
        class="prose"
        rows={3}
        maxLength={limits.messageTextLength}
        aria-label={w.write[mode]}
        placeholder={w.write[mode]}
        required
        value={text}
        {...(error ? { 'aria-invalid': 'true' as const, 'aria-describedby': 'reply-error' } : {})}
        onInput={(event) => change({ text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      {mode === 'reply' && <ExtraChips extras={extras} onRemove={() => change({ extras: {} })} />}
      {error && (
        <p class="field-error" id="reply-error" role="alert">
          {error}
        </p>
      )}
      <Problem error={form.error} />
      <div class="reply-end">
        <span class={mode === 'reply' && !isVirtual ? 'hint for-keys' : 'hint'}>{hintOf(ticket, mode)}</span>
        {mode === 'reply' && (
          <Select
            label={w.afterSending}
            value={status}
            onChange={(value) => setStatus(value as GivenStatus)}
            options={givenStatuses.map((value) => ({ value, text: t.ticketStates[value] }))}
          />
        )}
        <button type="submit" class="btn primary" disabled={form.busy}>
          {w.send[mode]}
        </button>
      </div>
    </form>
  );
}

function hintOf(ticket: Ticket, mode: Mode): string {
  const w = words();
  if (mode === 'note') return w.noteHint;
  if (mode === 'reply' && ticket.customer) {
    return ticket.customer.contact === null ? w.virtualNoContact : w.virtualHint(ticket.customer.contact);
  }
  return w.sendKeys;
}

/** One key for the same message: sent again after a lost connection, it reaches the customer once. */
function useRequestKey(): (message: string) => string {
  const last = useRef({ message: '', key: '' });
  return (message) => {
    if (last.current.message !== message) last.current = { message, key: crypto.randomUUID() };
    return last.current.key;
  };
}

function ExtraChips({ extras, onRemove }: { extras: Extras; onRemove: () => void }) {
  const w = words();
  const { format } = extras;
  const buttons = extras.buttons?.flat().length ?? 0;
  if (!format && buttons === 0 && !extras.media) return null;
  return (
    <p class="chips">
      {format && <Chip>{w.formatted[format]}</Chip>}
      {extras.media && <Chip>{w.withMedia[extras.media.type]}</Chip>}
      {buttons > 0 && <Chip>{w.withButtons(buttons)}</Chip>}
      <button type="button" class="btn quiet small" onClick={onRemove}>
        <Icon name="xMark" small /> {w.removeExtras}
      </button>
    </p>
  );
}

/** Templates of purpose `reply`, inserted with the values of this ticket, so that they can still be edited. */
function CannedReplies(props: {
  ticket: Ticket;
  desk: Desk;
  draft: Draft;
  box: RefObject<HTMLTextAreaElement>;
  onInsert: (part: Draft) => void;
}) {
  const w = words();
  const [error, setError] = useState<Error | null>(null);
  const replies = useResource(helpdesk.cannedReplies, 'canned');
  const list = replies.data?.data ?? [];
  const { draft } = props;
  const insert = async (key: string) => {
    setError(null);
    try {
      const template = list.find((each) => each.key === key);
      if (!template) return;
      const filled = await fillIn(template, props.ticket, props.desk);
      const isEmpty = draft.text.trim() === '';
      if (!isEmpty && (filled.format !== 'plain' || draft.extras.format)) {
        throw new Error(w.cannedBusy);
      }
      props.onInsert(
        isEmpty
          ? { text: filled.text, extras: extrasOf(filled) }
          : {
              text: `${draft.text.trimEnd()}\n\n${filled.text}`,
              extras: { ...draft.extras, ...extrasOf(filled) },
            },
      );
      if (filled.missing.length > 0) toast(w.cannedMissing(filled.missing.join(', ')), 'exclamation');
      props.box.current?.focus();
    } catch (problem) {
      setError(problem as Error);
    }
  };
  if (list.length === 0) return null;
  return (
    <>
      <select
        class="canned"
        aria-label={w.canned}
        value=""
        onChange={(event) => {
          const key = event.currentTarget.value;
          event.currentTarget.value = '';
          void insert(key);
        }}
      >
        <option value="">{w.insertCanned}</option>
        {list.map(({ key, name }) => (
          <option key={key} value={key}>
            {name ?? key}
          </option>
        ))}
      </select>
      <Problem error={error ?? replies.error} />
    </>
  );
}

type Filled = Awaited<ReturnType<typeof api.previewTemplate>>;

function extrasOf({ format, buttons, media }: Filled): Extras {
  return {
    ...(format === 'plain' ? {} : { format }),
    ...(buttons.length > 0 ? { buttons } : {}),
    ...(media ? { media } : {}),
  };
}

/** A preview knows the values of the subscriber, and gets those of the ticket as variables, whose names have no dot. */
function fillIn(template: Template, ticket: Ticket, { agents }: Desk): Promise<Filled> {
  const named = (text: string) => text.replaceAll(/\{\{\s*ticket\.number\b/g, '{{ticket_number');
  const { purpose, format, default_lang, name } = template;
  const variants = JSON.parse(named(JSON.stringify(template.variants))) as Template['variants'];
  const me = agents.find(({ you }) => you);
  return api.previewTemplate({
    template: { purpose, format, default_lang, ...(name === null ? {} : { name }), variants },
    ...(ticket.subscriber_id === null ? {} : { subscriber_id: ticket.subscriber_id }),
    vars: { ticket_number: ticket.number, ...(me ? { agent: me.first_name } : {}) },
  });
}
