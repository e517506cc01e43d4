import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import {
  ActionCell,
  Cell,
  Clip,
  ConfirmDialog,
  Dialog,
  FormButtons,
  Icon,
  Problem,
  SelectField,
  Table,
  TextField,
  toast,
  useForm,
} from '../elements';
import { helpdesk, type TicketType } from '../helpdesk-api';
import { useResource } from '../resource';
import { t } from '../texts';
import { agentName, agentOptions, priorityOptions, typeName, type Desk } from './desk';
import { words } from './texts';

/** What the bot asks before the message, and what the answer sets. */
export function TicketTypes() {
  const w = words();
  const types = useResource(helpdesk.types, 'types');
  const agents = useResource(helpdesk.agents, 'agents');
  const [editing, setEditing] = useState<TicketType | 'new' | null>(null);
  const [removing, setRemoving] = useState<TicketType | null>(null);
  const list = types.data?.data ?? [];
  const desk: Desk = { agents: agents.data?.data ?? [], types: list };
  return (
    <section class="settings" aria-labelledby="types-title">
      <h2 id="types-title">{w.types}</h2>
      <p class="lead">{w.typesLead(limits.ticketTypes)}</p>
      <Problem error={types.error ?? agents.error} />
      {types.data && list.length === 0 && <p class="hint">{w.noTypes}</p>}
      {list.length > 0 && (
        <Table label={w.types} columns={[w.nameEn, w.nameRu, w.priority, w.assignee, `!${t.edit}`]}>
          {list.map((type) => (
            <tr key={type.type_id}>
              <Cell label={w.nameEn} lead>
                <Clip>{type.name_en}</Clip>
              </Cell>
              <Cell label={w.nameRu}>
                <Clip>{type.name_ru}</Clip>
              </Cell>
              <Cell label={w.priority}>{w.priorities[type.priority]}</Cell>
              <Cell label={w.assignee}>
                {type.assignee_id === null ? w.noAssignee : <Clip>{agentName(desk, type.assignee_id)}</Clip>}
              </Cell>
              <ActionCell>
                <button
                  type="button"
                  class="btn small"
                  aria-label={w.editTypeOf(typeName(type))}
                  onClick={() => setEditing(type)}
                >
                  {t.edit}
                </button>
                <button
                  type="button"
                  class="btn small"
                  aria-label={w.deleteTypeOf(typeName(type))}
                  onClick={() => setRemoving(type)}
                >
                  {t.delete}
                </button>
              </ActionCell>
            </tr>
          ))}
        </Table>
      )}
      {types.data && list.length < limits.ticketTypes && (
        <p class="buttons">
          <button type="button" class="btn" onClick={() => setEditing('new')}>
            <Icon name="plus" small /> {w.addType}
          </button>
        </p>
      )}
      {editing !== null && (
        <EditType
          type={editing === 'new' ? null : editing}
          desk={desk}
          onClose={() => setEditing(null)}
          onSaved={types.reload}
        />
      )}
      {removing && (
        <ConfirmDialog
          title={w.removeType(typeName(removing))}
          text={w.removeTypeText}
          confirm={t.delete}
          act={async () => {
            await helpdesk.removeType(removing.type_id);
            await types.reload();
          }}
          onClose={() => setRemoving(null)}
        />
      )}
    </section>
  );
}

function EditType(props: {
  type: TicketType | null;
  desk: Desk;
  onClose: () => void;
  onSaved: () => Promise<void>;
}) {
  const w = words();
  const { type } = props;
  const [nameEn, setNameEn] = useState(type?.name_en ?? '');
  const [nameRu, setNameRu] = useState(type?.name_ru ?? '');
  const [priority, setPriority] = useState<string>(type?.priority ?? 'normal');
  const [assignee, setAssignee] = useState(type?.assignee_id ?? '');
  const form = useForm(['name_en', 'name_ru', 'priority', 'assignee_id'], async () => {
    const given = {
      name_en: nameEn.trim(),
      name_ru: nameRu.trim(),
      priority: priority as TicketType['priority'],
      assignee_id: assignee || null,
    };
    await (type ? helpdesk.changeType(type.type_id, given) : helpdesk.createType(given));
    await props.onSaved();
    toast(t.saved);
    props.onClose();
  });
  return (
    <Dialog title={type ? w.editType : w.addType} unsaved={form.dirty} onClose={props.onClose}>
      <form {...form.attributes}>
        <TextField
          label={w.nameEn}
          error={form.problemOf('name_en')}
          required
          maxLength={limits.ticketTypeNameLength}
          value={nameEn}
          onInput={setNameEn}
        />
        <TextField
          label={w.nameRu}
          error={form.problemOf('name_ru')}
          required
          maxLength={limits.ticketTypeNameLength}
          value={nameRu}
          onInput={setNameRu}
        />
        <SelectField
          label={w.priority}
          error={form.problemOf('priority')}
          value={priority}
          options={priorityOptions()}
          onChange={setPriority}
        />
        <SelectField
          label={w.assignee}
          error={form.problemOf('assignee_id')}
          value={assignee}
          options={[{ value: '', text: w.noAssignee }, ...agentOptions(props.desk)]}
          onChange={setAssignee}
        />
        <FormButtons form={form} submit={t.save} onCancel={props.onClose} />
      </form>
    </Dialog>
  );
}
