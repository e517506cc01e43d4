import { useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { api, type EndpointView } from '../api';
import { ActionButton, Badge, ConfirmDialog, Dialog, Field, Problem, SecretDialog, Time } from '../elements';
import { useResource } from '../resource';
import { go, Link } from '../router';
import { DeliveryLog } from './delivery-log';
import { EndpointForm } from './endpoint-form';

const LOOK_MS = 5_000;
type Open = 'change' | 'rotate' | 'delete' | 'test' | null;

export function EndpointPage({ id }: { id: string }) {
  const endpoint = useResource(() => api.endpoint(id), id, LOOK_MS);
  return (
    <>
      <p class="crumbs">
        <Link to="/dashboard/webhooks">Webhooks</Link>
      </p>
      {endpoint.error && !endpoint.data && <h1>Endpoint</h1>}
      <Problem error={endpoint.error} />
      {endpoint.data && <Details endpoint={endpoint.data} reload={endpoint.reload} />}
    </>
  );
}

function Details({ endpoint, reload }: { endpoint: EndpointView; reload: () => Promise<void> }) {
  const { id } = endpoint;
  const [open, setOpen] = useState<Open>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const close = () => setOpen(null);
  const active = endpoint.status === 'active';
  const setStatus = async () => {
    await api.changeEndpoint(id, { status: active ? 'disabled' : 'active' });
    await reload();
  };
  return (
    <>
      <div class="heading">
        <h1 class="url">{endpoint.url}</h1>
        <Badge kind={endpoint.status}>{endpoint.status}</Badge>
      </div>
      {endpoint.disabled_reason && <p class="warning">Disabled by Herald: {endpoint.disabled_reason}</p>}
      <dl class="facts">
        <dt>Events</dt>
        <dd>{endpoint.events.length === 0 ? 'All' : endpoint.events.join(', ')}</dd>
        <dt>Retries</dt>
        <dd>{endpoint.retry_policy}</dd>
        {endpoint.description && (
          <>
            <dt>Description</dt>
            <dd>{endpoint.description}</dd>
          </>
        )}
        <dt>Created</dt>
        <dd>
          <Time at={endpoint.created_at} />
        </dd>
      </dl>
      <p class="buttons">
        <button type="button" class="primary" disabled={!active} onClick={() => setOpen('test')}>
          Send a test
        </button>
        <button type="button" class="plain" onClick={() => setOpen('change')}>
          Change
        </button>
        <ActionButton act={setStatus} onError={setError}>
          {active ? 'Disable' : 'Enable'}
        </ActionButton>
        <button type="button" class="plain" onClick={() => setOpen('rotate')}>
          Rotate the secret
        </button>
        <button type="button" class="danger" onClick={() => setOpen('delete')}>
          Delete
        </button>
      </p>
      <Problem error={error} />
      <DeliveryLog endpoint={endpoint} />
      {open === 'test' && <TestDialog id={id} onClose={close} />}
      {open === 'change' && (
        <Dialog title="Change the endpoint" onClose={close}>
          <EndpointForm
            endpoint={endpoint}
            submit="Save"
            onCancel={close}
            save={async (changes) => {
              await api.changeEndpoint(id, changes);
              await reload();
              close();
            }}
          />
        </Dialog>
      )}
      {open === 'rotate' && (
        <ConfirmDialog
          title="Rotate the secret?"
          text={`A new secret takes over at once. The old one goes on signing beside it for ${limits.webhookSecretGraceHours} hours, so that your receiver can change over.`}
          confirm="Rotate"
          act={async () => setSecret((await api.rotateSecret(id)).secret)}
          onClose={close}
        />
      )}
      {open === 'delete' && (
        <ConfirmDialog
          title="Delete the endpoint?"
          text="Deliveries that still wait are cancelled. This cannot be undone."
          confirm="Delete"
          act={async () => {
            await api.deleteEndpoint(id);
            go('/dashboard/webhooks');
          }}
          onClose={close}
        />
      )}
      {secret && (
        <SecretDialog
          title="The new secret"
          secret={secret}
          text={`Give it to your receiver within ${limits.webhookSecretGraceHours} hours. It is shown this one time.`}
          onClose={() => setSecret(null)}
        />
      )}
    </>
  );
}

function TestDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const types = useResource(api.eventTypes, 'event-types');
  const [event, setEvent] = useState('auth.completed');
  const [error, setError] = useState<Error | null>(null);
  return (
    <Dialog title="Send a test" onClose={onClose}>
      <Field
        label="Event"
        hint="Its example is sent through the ordinary path, whatever the endpoint’s events."
      >
        {(fieldId) => (
          <select id={fieldId} value={event} onChange={(change) => setEvent(change.currentTarget.value)}>
            {(types.data?.data ?? [{ name: event }]).map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Problem error={error} />
      <p class="buttons">
        <ActionButton
          kind="primary"
          onError={setError}
          act={async () => {
            const { delivery_id } = await api.testEndpoint(id, event);
            go(`/dashboard/deliveries/${delivery_id}`);
          }}
        >
          Send
        </ActionButton>
        <button type="button" class="plain" onClick={onClose}>
          Cancel
        </button>
      </p>
    </Dialog>
  );
}
