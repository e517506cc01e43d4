import { useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { api, type Subscriber } from '../api';
import {
  Badge,
  ConfirmDialog,
  Dialog,
  Empty,
  Field,
  Pager,
  Problem,
  Select,
  Time,
  usePages,
} from '../elements';
import { useResource } from '../resource';

export function Subscribers() {
  const [channel, setChannel] = useState('');
  const [active, setActive] = useState('');
  const [tag, setTag] = useState('');
  const [changing, setChanging] = useState<Subscriber | null>(null);
  const [removing, setRemoving] = useState<Subscriber | null>(null);
  const pages = usePages();
  const filter = { channel, active, tag: tag.trim(), external_id: '', cursor: pages.cursor };
  const found = useResource(() => api.subscribers(filter), JSON.stringify(filter));
  const filtered = channel !== '' || active !== '' || filter.tag !== '';
  const list = found.data?.data;
  return (
    <>
      <h1>Subscribers</h1>
      <p class="lead">Users who logged in or subscribed. You can message them until they send /stop.</p>
      <div class="filters">
        <Select
          label="Channel"
          value={channel}
          onChange={pages.choose(setChannel)}
          options={[
            { value: '', text: 'Any' },
            { value: 'telegram', text: 'Telegram' },
            { value: 'max', text: 'MAX' },
          ]}
        />
        <Select
          label="Subscribed"
          value={active}
          onChange={pages.choose(setActive)}
          options={[
            { value: '', text: 'Any' },
            { value: 'true', text: 'Yes' },
            { value: 'false', text: 'No' },
          ]}
        />
        <label class="filter">
          <span>Tag</span>
          <input
            value={tag}
            maxLength={limits.tagLength}
            onChange={(event) => pages.choose(setTag)(event.currentTarget.value)}
          />
        </label>
      </div>
      <Problem error={found.error} />
      {list?.length === 0 && (
        <Empty>{filtered ? 'No subscribers match these filters.' : 'No subscribers yet.'}</Empty>
      )}
      {list && list.length > 0 && (
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Channel</th>
              <th scope="col">Status</th>
              <th scope="col">External ID</th>
              <th scope="col">Tags</th>
              <th scope="col">Since</th>
              <th scope="col">
                <span class="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {list.map((subscriber) => (
              <Row
                key={subscriber.subscriber_id}
                subscriber={subscriber}
                onChange={() => setChanging(subscriber)}
                onRemove={() => setRemoving(subscriber)}
              />
            ))}
          </tbody>
        </table>
      )}
      <Pager pages={pages} next={found.data?.next_cursor ?? null} />
      {changing && (
        <ChangeDialog
          subscriber={changing}
          onClose={() => setChanging(null)}
          onSaved={async () => {
            await found.reload();
            setChanging(null);
          }}
        />
      )}
      {removing && (
        <ConfirmDialog
          title={`Remove ${removing.first_name}?`}
          text="Deletes the subscriber with their tags, external ID and message log. They can subscribe again."
          confirm="Remove"
          act={() => api.removeSubscriber(removing.subscriber_id).then(found.reload)}
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  );
}

function Row(props: { subscriber: Subscriber; onChange: () => void; onRemove: () => void }) {
  const { subscriber } = props;
  const state = subscriber.blocked ? 'blocked' : subscriber.active ? 'active' : 'unsubscribed';
  return (
    <tr>
      <td data-label="Name">
        <bdi>{subscriber.first_name}</bdi>{' '}
        {subscriber.username && <span class="hint">@{subscriber.username}</span>}
      </td>
      <td data-label="Channel">{subscriber.channel}</td>
      <td data-label="Status">
        <Badge kind={state}>{state}</Badge>
      </td>
      <td data-label="External ID">{subscriber.external_id ?? '–'}</td>
      <td data-label="Tags">{subscriber.tags.join(', ') || '–'}</td>
      <td data-label="Since">
        <Time at={subscriber.created_at} />
      </td>
      <td class="row-buttons">
        <button
          type="button"
          class="plain small"
          aria-label={`Edit ${subscriber.first_name}`}
          onClick={props.onChange}
        >
          Edit
        </button>
        <button
          type="button"
          class="plain small"
          aria-label={`Remove ${subscriber.first_name}`}
          onClick={props.onRemove}
        >
          Remove
        </button>
      </td>
    </tr>
  );
}

function ChangeDialog(props: { subscriber: Subscriber; onClose: () => void; onSaved: () => Promise<void> }) {
  const { subscriber } = props;
  const [externalId, setExternalId] = useState(subscriber.external_id ?? '');
  const [tags, setTags] = useState(subscriber.tags.join(', '));
  const [permissions, setPermissions] = useState(subscriber.permissions.join(', '));
  const [error, setError] = useState<Error | null>(null);
  const save = async () => {
    setError(null);
    try {
      await api.changeSubscriber(subscriber.subscriber_id, {
        external_id: externalId.trim() === '' ? null : externalId.trim(),
        tags: words(tags),
        permissions: words(permissions),
      });
      await props.onSaved();
    } catch (problem) {
      setError(problem as Error);
    }
  };
  const text = (label: string, value: string, set: (value: string) => void, hint?: string) => (
    <Field label={label} {...(hint ? { hint } : {})}>
      {(id) => <input id={id} value={value} onInput={(event) => set(event.currentTarget.value)} />}
    </Field>
  );
  return (
    <Dialog title={`Edit ${subscriber.first_name}`} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {text('External ID', externalId, setExternalId)}
        {text('Tags', tags, setTags, 'Separate with commas.')}
        {text('Permissions', permissions, setPermissions, 'Separate with commas.')}
        <Problem error={error} />
        <p class="buttons">
          <button type="submit" class="primary">
            Save
          </button>
          <button type="button" class="plain" onClick={props.onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}

function words(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
