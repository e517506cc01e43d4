import { useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { api, type EndpointView, type EventType, type NewEndpoint } from '../api';
import { Field, Problem } from '../elements';
import { useResource } from '../resource';

type LaneSetting = NonNullable<EndpointView['delivery_lane']>;

/** Creates or edits an endpoint. */
export function EndpointForm(props: {
  endpoint?: EndpointView;
  submit: string;
  save: (endpoint: NewEndpoint) => Promise<void>;
  onCancel: () => void;
}) {
  const { endpoint } = props;
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [events, setEvents] = useState<string[]>(endpoint?.events ?? []);
  const [all, setAll] = useState(endpoint ? endpoint.events.length === 0 : true);
  const [policy, setPolicy] = useState<'durable' | 'quick' | ''>(endpoint?.retry_policy ?? '');
  const [lane, setLane] = useState<LaneSetting | ''>(endpoint?.delivery_lane ?? '');
  const [error, setError] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    if (!all && events.length === 0) {
      return setError(new Error('Select at least one event, or choose all events.'));
    }
    setBusy(true);
    setError(null);
    try {
      await props.save({
        url: url.trim(),
        events: (all ? [] : events) as NonNullable<NewEndpoint['events']>,
        description: description.trim() === '' ? null : description.trim(),
        ...(policy === '' ? {} : { retry_policy: policy }),
        delivery_lane: lane === '' ? null : lane,
      });
    } catch (problem) {
      setError(problem as Error);
      setBusy(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Field label="URL" hint="Herald sends events to this URL with POST.">
        {(id) => (
          <input
            id={id}
            type="url"
            required
            placeholder="https://"
            value={url}
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Description (optional)">
        {(id) => (
          <input
            id={id}
            maxLength={limits.webhookDescriptionLength}
            value={description}
            onInput={(event) => setDescription(event.currentTarget.value)}
          />
        )}
      </Field>
      <EventPicker all={all} setAll={setAll} chosen={events} setChosen={setEvents} />
      <Field
        label="Retry policy"
        hint={`Durable retries for ${limits.webhookRetryHours} hours: after 30 s, 2 min, 10 min, 1 h, 6 h and 24 h. Quick retries after 1, 2 and 4 s.`}
      >
        {(id) => (
          <select
            id={id}
            value={policy}
            onChange={(event) => setPolicy(event.currentTarget.value as 'durable' | 'quick' | '')}
          >
            {!endpoint && <option value="">Project default</option>}
            <option value="durable">Durable</option>
            <option value="quick">Quick</option>
          </select>
        )}
      </Field>
      <Field
        label="Delivery lane"
        hint="Workflow shows every delivery in the Temporal UI. Express is faster and shows only deliveries whose first attempt failed. Auto uses Express while the Workflow lane is behind."
      >
        {(id) => (
          <select
            id={id}
            value={lane}
            onChange={(event) => setLane(event.currentTarget.value as LaneSetting | '')}
          >
            <option value="">System default</option>
            <option value="workflow">Workflow</option>
            <option value="express">Express</option>
            <option value="auto">Auto</option>
          </select>
        )}
      </Field>
      <Problem error={error} />
      <p class="buttons">
        <button type="submit" class="primary" disabled={busy}>
          {props.submit}
        </button>
        <button type="button" class="plain" onClick={props.onCancel}>
          Cancel
        </button>
      </p>
    </form>
  );
}

function EventPicker(props: {
  all: boolean;
  setAll: (all: boolean) => void;
  chosen: string[];
  setChosen: (events: string[]) => void;
}) {
  const types = useResource(api.eventTypes, 'event-types');
  const toggle = (name: string, on: boolean) =>
    props.setChosen(on ? [...props.chosen, name] : props.chosen.filter((other) => other !== name));
  return (
    <fieldset class="events">
      <legend>Events</legend>
      <label class="choice">
        <input type="radio" name="which" checked={props.all} onChange={() => props.setAll(true)} /> All
        events, including future ones
      </label>
      <label class="choice">
        <input type="radio" name="which" checked={!props.all} onChange={() => props.setAll(false)} /> Only
        selected events
      </label>
      {!props.all && (
        <div class="event-groups">
          <Problem error={types.error} />
          {grouped(types.data?.data ?? []).map(([group, members]) => (
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
