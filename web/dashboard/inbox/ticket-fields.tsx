import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { can } from '../access';
import { Dialog, FormButtons, Select, TextField, useForm } from '../elements';
import { typedOrNull } from '../format';
import type { Ticket, TicketChanges } from '../helpdesk-api';
import { t } from '../texts';
import {
  agentName,
  agentOptions,
  givenStatuses,
  priorityOptions,
  typeName,
  typeOptions,
  type Desk,
  type GivenStatus,
} from './desk';
import { words } from './texts';

/** What can be set on a ticket; for those who only read it, what is set. */
export function TicketFields(props: {
  ticket: Ticket;
  desk: Desk;
  onChange: (changes: TicketChanges) => Promise<void>;
}) {
  const w = words();
  const { ticket, desk, onChange } = props;
  if (!can('helpdesk')) return <ReadFields ticket={ticket} desk={desk} />;
  const statuses = givenStatuses.map((value) => ({ value: value as string, text: t.ticketStates[value] }));
  const agents = agentOptions(desk);
  const isFormer = ticket.assignee_id !== null && !agents.some(({ value }) => value === ticket.assignee_id);
  return (
    <div class="ticket-fields">
      <Select
        label={t.status}
        value={ticket.status}
        onChange={(value) => void onChange({ status: value as GivenStatus })}
        options={
          ticket.status === 'new' ? [{ value: 'new', text: t.ticketStates.new }, ...statuses] : statuses
        }
      />
      <Select
        label={w.assignee}
        value={ticket.assignee_id ?? ''}
        onChange={(value) => void onChange({ assignee_id: value || null })}
        options={[
          { value: '', text: w.noAssignee },
          ...agents,
          ...(isFormer ? [{ value: ticket.assignee_id ?? '', text: w.formerMember }] : []),
        ]}
      />
      <Select
        label={w.priority}
        value={ticket.priority}
        onChange={(value) => void onChange({ priority: value as Ticket['priority'] })}
        options={priorityOptions()}
      />
      {desk.types.length > 0 && (
        <Select
          label={w.type}
          value={ticket.type_id ?? ''}
          onChange={(value) => void onChange({ type_id: value || null })}
          options={[{ value: '', text: w.noType }, ...typeOptions(desk)]}
        />
      )}
    </div>
  );
}

function ReadFields({ ticket, desk }: { ticket: Ticket; desk: Desk }) {
  const w = words();
  const type = desk.types.find(({ type_id }) => type_id === ticket.type_id);
  return (
    <p class="hint ticket-facts">
      <span>
        {w.assignee}: {ticket.assignee_id === null ? w.noAssignee : agentName(desk, ticket.assignee_id)}
      </span>
      <span>
        {w.priority}: {w.priorities[ticket.priority]}
      </span>
      {type && (
        <span>
          {w.type}: {typeName(type)}
        </span>
      )}
    </p>
  );
}

export function EditSubject(props: {
  ticket: Ticket;
  onClose: () => void;
  onChange: (changes: TicketChanges) => Promise<void>;
}) {
  const w = words();
  const [subject, setSubject] = useState(props.ticket.subject ?? '');
  const form = useForm(['subject'], async () => {
    await props.onChange({ subject: typedOrNull(subject) });
    props.onClose();
  });
  return (
    <Dialog title={w.editSubject} unsaved={form.dirty} onClose={props.onClose}>
      <form {...form.attributes}>
        <TextField
          label={w.subject}
          error={form.problemOf('subject')}
          maxLength={limits.ticketSubjectLength}
          autofocus
          value={subject}
          onInput={setSubject}
        />
        <FormButtons form={form} submit={t.save} onCancel={props.onClose} />
      </form>
    </Dialog>
  );
}
