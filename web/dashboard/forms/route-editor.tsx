import { LabelField, SelectField, TextField, type Form } from '../elements';
import { ContentEditor } from '../message/content-editor';
import { contentFields } from '../message/content';
import { useResource } from '../resource';
import { formsApi } from './api';
import type { FieldDraft, RouteDraft } from './draft';
import { RuleEditor } from './rule-editor';
import { words } from './texts';

/** The parts of an action that the API can name in an error. */
export const routeParts = [
  'tag',
  'name',
  'type_id',
  'when',
  ...contentFields.map((field) => `content.${field}`),
] as const;

interface Props {
  route: RouteDraft;
  set: (part: Partial<RouteDraft>) => void;
  problemOf: (part: string) => string | null;
}

/** What one action does, and when. */
export function RouteEditor(props: {
  route: RouteDraft;
  fields: FieldDraft[];
  path: string;
  form: Form;
  set: (part: Partial<RouteDraft>) => void;
}) {
  const { route, fields, set } = props;
  const w = words();
  const problemOf = (part: string) => props.form.problemOf(`${props.path}.${part}`);
  const own = { route, set, problemOf };
  return (
    <>
      {route.action === 'message' && <MessageFields {...own} fields={fields} />}
      {route.action === 'tag' && <TagField {...own} />}
      {route.action === 'event' && (
        <TextField
          label={w.eventName}
          hint={`${w.eventHint} ${w.subscriberOnly}`}
          error={problemOf('name')}
          required
          pattern="[a-z0-9_.\-]{1,64}"
          spellcheck={false}
          value={route.event}
          onInput={(event) => set({ event })}
        />
      )}
      {route.action === 'ticket' && <TicketFields {...own} />}
      {route.action === 'spam' && <p class="hint">{w.spamHint}</p>}
      <RuleEditor route={route} fields={fields} error={problemOf('when')} set={set} />
    </>
  );
}

function MessageFields({ route, set, problemOf, fields }: Props & { fields: FieldDraft[] }) {
  const w = words();
  return (
    <>
      <SelectField
        label={w.sendTo}
        hint={route.to === 'members' ? w.membersHint : w.subscriberOnly}
        value={route.to}
        onChange={(to) => set({ to })}
        options={(['members', 'submitter'] as const).map((value) => ({ value, text: w.receivers[value] }))}
      />
      <ContentEditor
        draft={route.content}
        change={(part) => set({ content: { ...route.content, ...part } })}
        problemOf={(field) => problemOf(`content.${field}`)}
        given={fields.map(({ name }) => name)}
      />
    </>
  );
}

function TagField({ route, set, problemOf }: Props) {
  const w = words();
  return (
    <LabelField
      kind="tags"
      label={w.tag}
      hint={w.subscriberOnly}
      error={problemOf('tag')}
      required
      value={route.tag}
      onInput={(tag) => set({ tag })}
    />
  );
}

function TicketFields({ route, set, problemOf }: Props) {
  const w = words();
  const types = useResource(formsApi.ticketTypes, 'ticket-types');
  const list = types.data?.data ?? [];
  const isKnown = list.some(({ type_id }) => type_id === route.ticketType);
  return (
    <div class="two">
      <SelectField
        label={w.ticketType}
        error={problemOf('type_id')}
        value={route.ticketType}
        onChange={(ticketType) => set({ ticketType })}
        options={[
          { value: '', text: w.noType },
          ...list.map(({ type_id, name_en, name_ru }) => ({
            value: type_id,
            text: name_ru && name_en ? `${name_en} / ${name_ru}` : (name_en ?? name_ru),
          })),
          // Not read yet, or removed since.
          ...(route.ticketType === '' || isKnown ? [] : [{ value: route.ticketType, text: '…' }]),
        ]}
      />
      <SelectField
        label={w.priority}
        value={route.priority}
        onChange={(priority) => set({ priority })}
        options={[
          { value: '', text: w.priorityOfType },
          ...Object.entries(w.priorities).map(([value, text]) => ({ value, text })),
        ]}
      />
    </div>
  );
}
