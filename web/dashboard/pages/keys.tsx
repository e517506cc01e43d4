import { useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { api, type KeyView } from '../api';
import { Badge, ConfirmDialog, Field, Problem, SecretDialog, Time } from '../elements';
import { useResource } from '../resource';

export function Keys() {
  const keys = useResource(api.keys, 'keys');
  const [name, setName] = useState('');
  const [created, setCreated] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<KeyView | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const create = async () => {
    setError(null);
    try {
      setCreated((await api.createKey(name.trim())).api_key);
      setName('');
      await keys.reload();
    } catch (problem) {
      setError(problem as Error);
    }
  };
  return (
    <>
      <h1>API keys</h1>
      <p class="lead">
        A key has full access to this project. Create one for each app, so that you can revoke them
        separately.
      </p>
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <Field label="Key name (optional)">
          {(id) => (
            <input
              id={id}
              maxLength={limits.nameLength}
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
        <button type="submit" class="primary">
          Create key
        </button>
      </form>
      <Problem error={error ?? keys.error} />
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Name</th>
            <th scope="col">Created</th>
            <th scope="col">Last used</th>
            <th scope="col">Status</th>
          </tr>
        </thead>
        <tbody>
          {keys.data?.data.map((key) => (
            <Row key={key.id} record={key} onRevoke={() => setRevoking(key)} />
          ))}
        </tbody>
      </table>
      {created && (
        <SecretDialog
          title="New API key"
          secret={created}
          text="Store it now. It is shown only once."
          onClose={() => setCreated(null)}
        />
      )}
      {revoking && (
        <ConfirmDialog
          title={`Revoke ${revoking.name ?? revoking.hint}?`}
          text="Apps using this key stop working immediately. This cannot be undone."
          confirm="Revoke"
          act={() => api.revokeKey(revoking.id).then(keys.reload)}
          onClose={() => setRevoking(null)}
        />
      )}
    </>
  );
}

function Row({ record, onRevoke }: { record: KeyView; onRevoke: () => void }) {
  return (
    <tr>
      <td data-label="Key">
        <code>{record.hint}…</code>
      </td>
      <td data-label="Name">{record.name ?? '–'}</td>
      <td data-label="Created">
        <Time at={record.created_at} />
      </td>
      <td data-label="Last used">
        <Time at={record.last_used_at} />
      </td>
      <td data-label="Status">
        {record.revoked_at !== null && <Badge kind="cancelled">revoked</Badge>}
        {record.current && <Badge kind="active">Current key</Badge>}
        {record.revoked_at === null && !record.current && (
          <button
            type="button"
            class="plain small"
            aria-label={`Revoke ${record.name ?? record.hint}`}
            onClick={onRevoke}
          >
            Revoke
          </button>
        )}
      </td>
    </tr>
  );
}
