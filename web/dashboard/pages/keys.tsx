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
        A key does everything that this dashboard does. Give each of your programs its own, so that one can be
        revoked.
      </p>
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <Field label="Name of the new key (optional)">
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
          Create a key
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
            <th scope="col">State</th>
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
          title="The new key"
          secret={created}
          text="Keep it where your program finds it. It is shown this one time."
          onClose={() => setCreated(null)}
        />
      )}
      {revoking && (
        <ConfirmDialog
          title={`Revoke ${revoking.name ?? revoking.hint}?`}
          text="Whatever uses it is refused within a second. This cannot be undone."
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
      <td data-label="State">
        {record.revoked_at !== null && <Badge kind="cancelled">revoked</Badge>}
        {record.current && <Badge kind="active">signed in with it</Badge>}
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
