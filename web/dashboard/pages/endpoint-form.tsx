import { useEffect, useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import type { EndpointView, EventType, NewEndpoint } from '../api';
import { Field, FieldError, FormButtons, Problem, useForm } from '../elements';
import { typedOrNull } from '../format';
import { t } from '../texts';
import { useEventTypes } from './event-names';
import { FilterFields, filterDraft, givenFilter } from './filter-fields';
import { givenHeaders, HeaderFields, headerRows } from './header-fields';

const FIELDS = ['url', 'description', 'events', 'filter', 'retry_policy', 'headers'];

/** Creates or edits an endpoint. */
export function EndpointForm(props: {
  endpoint?: EndpointView;
  submit: string;
  save: (endpoint: NewEndpoint) => Promise<void>;
  onCancel: () => void;
  onDirty: (dirty: boolean) => void;
}) {
  const { endpoint, onDirty } = props;
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [events, setEvents] = useState<string[]>(endpoint?.events ?? []);
  const [all, setAll] = useState(endpoint ? endpoint.events.length === 0 : true);
  const [policy, setPolicy] = useState<'durable' | 'quick' | ''>(endpoint?.retry_policy ?? '');
  const [headers, setHeaders] = useState(() => headerRows(endpoint));
  const [filter, setFilter] = useState(() => filterDraft(endpoint));
  const form = useForm([...FIELDS, ...headers.map(({ name }) => `headers.${name.trim()}`)], async () => {
    if (!all && events.length === 0) throw new FieldError('events', t.selectEvents);
    await props.save({
      url: url.trim(),
      events: (all ? [] : events) as NonNullable<NewEndpoint['events']>,
      description: typedOrNull(description),
      filter: givenFilter(filter),
      ...(policy === '' ? {} : { retry_policy: policy }),
      headers: givenHeaders(headers),
    });
  });
  useEffect(() => onDirty(form.dirty), [form.dirty]);
  return (
    <form {...form.attributes}>
      <Field label={t.url} hint={t.urlHint} error={form.problemOf('url')}>
        {(attributes) => (
          <input
            {...attributes}
            type="url"
            required
            placeholder="https://"
            value={url}
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label={t.descriptionOptional} error={form.problemOf('description')}>
        {(attributes) => (
          <input
            {...attributes}
            maxLength={limits.webhookDescriptionLength}
            value={description}
            onInput={(event) => setDescription(event.currentTarget.value)}
          />
        )}
      </Field>
      <EventPicker
        all={all}
        setAll={setAll}
        chosen={events}
        setChosen={setEvents}
        error={form.problemOf('events')}
      />
      <FilterFields
        draft={filter}
        events={all ? [] : events}
        error={form.problemOf('filter')}
        onChange={(changed) => {
          setFilter(changed);
          form.touch();
        }}
      />
      <Field
        label={t.retryPolicy}
        hint={t.retryPolicyHint(limits.webhookRetryHours)}
        error={form.problemOf('retry_policy')}
      >
        {(attributes) => (
          <select
            {...attributes}
            value={policy}
            onChange={(event) => setPolicy(event.currentTarget.value as 'durable' | 'quick' | '')}
          >
            {!endpoint && <option value="">{t.projectDefault}</option>}
            <option value="durable">{t.durable}</option>
            <option value="quick">{t.quick}</option>
          </select>
        )}
      </Field>
      <HeaderFields
        rows={headers}
        problemOf={form.problemOf}
        onChange={(rows) => {
          setHeaders(rows);
          form.touch();
        }}
      />
      <FormButtons form={form} submit={props.submit} onCancel={props.onCancel} />
    </form>
  );
}

function EventPicker(props: {
  all: boolean;
  setAll: (all: boolean) => void;
  chosen: string[];
  setChosen: (events: string[]) => void;
  error: string | null;
}) {
  const { types, error } = useEventTypes();
  const toggle = (name: string, on: boolean) =>
    props.setChosen(on ? [...props.chosen, name] : props.chosen.filter((other) => other !== name));
  return (
    <fieldset class="events" {...(props.error ? { 'aria-describedby': 'events-error' } : {})}>
      <legend>{t.events}</legend>
      <label class="choice">
        <input type="radio" name="which" checked={props.all} onChange={() => props.setAll(true)} />{' '}
        {t.allEventsFuture}
      </label>
      <label class="choice">
        <input
          type="radio"
          name="which"
          checked={!props.all}
          onChange={() => props.setAll(false)}
          {...(props.error ? { 'aria-invalid': 'true' as const } : {})}
        />{' '}
        {t.selectedEvents}
      </label>
      {props.error && (
        <p class="field-error" id="events-error" role="alert">
          {props.error}
        </p>
      )}
      {!props.all && (
        <div class="event-groups">
          <Problem error={error} />
          {grouped(types).map(([group, members]) => (
            <fieldset key={group}>
              <legend>{group}</legend>
              {members.map((type) => (
                <label key={type.name} class="choice" title={type.description}>
                  <input
                    type="checkbox"
                    checked={props.chosen.includes(type.name)}
                    onChange={(event) => toggle(type.name, event.currentTarget.checked)}
                  />{' '}
                  {type.name}
                </label>
              ))}
            </fieldset>
          ))}
        </div>
      )}
    </fieldset>
  );
}

/** Grouped by the part of the name before the dot. */
function grouped(types: EventType[]): [string, EventType[]][] {
  const groups = new Map<string, EventType[]>();
  for (const type of types) {
    const group = type.name.slice(0, type.name.indexOf('.'));
    groups.set(group, [...(groups.get(group) ?? []), type]);
  }
  return [...groups];
}
