import { useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { api, type EndpointView } from '../api';
import { ActionButton, Badge, ConfirmDialog, Dialog, Field, Problem, SecretDialog, Time } from '../elements';
import { useResource } from '../resource';
import { go, Link } from '../router';
import { DeliveryLog } from './delivery-log';
import { EndpointForm } from './endpoint-form';

const REFRESH_MS = 5_000;
type Open = 'change' | 'rotate' | 'delete' | 'test' | null;

export function EndpointPage({ id }: { id: string }) {
  const endpoint = useResource(() => api.endpoint(id), id, REFRESH_MS);
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
        {endpoint.health.state !== 'disabled' && (
          <Badge kind={endpoint.health.state}>{endpoint.health.state}</Badge>
        )}
      </div>
      {endpoint.disabled_reason && <p class="warning">Disabled by Herald: {endpoint.disabled_reason}</p>}
      <dl class="facts">
        <dt>Events</dt>
        <dd>{endpoint.events.length === 0 ? 'All events' : endpoint.events.join(', ')}</dd>
        <dt>Success rate, last 24 hours</dt>
        <dd>{percent(endpoint.health.success_rate_24h)}</dd>
        <dt>Last delivery</dt>
        <dd>
          <Time at={endpoint.health.last_delivery_at} />
        </dd>
        {endpoint.health.failing_since && (
          <>
            <dt>Failing since</dt>
            <dd>
              <Time at={endpoint.health.failing_since} />
            </dd>
          </>
        )}
        <dt>Retry policy</dt>
        <dd>{endpoint.retry_policy}</dd>
        {Object.keys(endpoint.headers).length > 0 && (
          <>
            <dt>Headers</dt>
            <dd>{Object.keys(endpoint.headers).join(', ')}</dd>
          </>
        )}
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
          Send test event
        </button>
        <button type="button" class="plain" onClick={() => setOpen('change')}>
          Edit
        </button>
        <ActionButton act={setStatus} onError={setError}>
          {active ? 'Disable' : 'Enable'}
        </ActionButton>
        <button type="button" class="plain" onClick={() => setOpen('rotate')}>
          Rotate secret
        </button>
        <button type="button" class="danger" onClick={() => setOpen('delete')}>
          Delete
        </button>
      </p>
      <Problem error={error} />
      <DeliveryLog endpoint={endpoint} />
      {open === 'test' && <TestDialog id={id} onClose={close} />}
      {open === 'change' && (
        <Dialog title="Edit endpoint" onClose={close}>
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
          title="Rotate the signing secret?"
          text={`Herald starts signing with a new secret now. The old secret also signs for ${limits.webhookSecretGraceHours} hours, so you have time to update your receiver.`}
          confirm="Rotate"
          act={async () => setSecret((await api.rotateSecret(id)).secret)}
          onClose={close}
        />
      )}
      {open === 'delete' && (
        <ConfirmDialog
          title="Delete this endpoint?"
          text={`Herald stops sending events to ${endpoint.url}. Pending deliveries will be cancelled. This cannot be undone.`}
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
          title="New signing secret"
          secret={secret}
          text={`Add it to your receiver within ${limits.webhookSecretGraceHours} hours. It is shown only once.`}
          onClose={() => setSecret(null)}
        />
      )}
    </>
  );
}

function percent(rate: number | null): string {
  return rate === null ? 'No attempts' : `${Number((rate * 100).toFixed(1))} %`;
}

function TestDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const types = useResource(api.eventTypes, 'event-types');
  const [event, setEvent] = useState('auth.completed');
  const [error, setError] = useState<Error | null>(null);
  return (
    <Dialog title="Send test event" onClose={onClose}>
      <Field
        label="Event"
        hint="Sends a signed event with sample data, even if the endpoint does not subscribe to it."
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
