import { useState } from 'preact/hooks';
import { api, type EndpointView } from '../api';
import { Badge, Dialog, Empty, Problem, SecretDialog } from '../elements';
import { useResource } from '../resource';
import { go, Link } from '../router';
import { EndpointForm } from './endpoint-form';

const REFRESH_MS = 5_000;

export function Endpoints() {
  const endpoints = useResource(api.endpoints, 'endpoints', REFRESH_MS);
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<{ id: string; secret: string } | null>(null);
  const list = endpoints.data?.data;
  return (
    <>
      <div class="heading">
        <h1>Webhooks</h1>
        <button type="button" class="primary" onClick={() => setCreating(true)}>
          New endpoint
        </button>
      </div>
      <p class="lead">
        Herald sends signed events to these URLs and retries failed deliveries.{' '}
        <a href="/docs/webhooks" target="_blank" rel="noopener">
          How to receive webhooks
        </a>
      </p>
      <Problem error={endpoints.error} />
      {list?.length === 0 && (
        <Empty>
          Add an endpoint to receive events, here or with <code>POST /v1/webhooks</code>.
        </Empty>
      )}
      <ul class="cards">
        {list?.map((endpoint) => (
          <EndpointCard key={endpoint.id} endpoint={endpoint} />
        ))}
      </ul>
      {creating && (
        <Dialog title="New endpoint" onClose={() => setCreating(false)}>
          <EndpointForm
            submit="Create"
            onCancel={() => setCreating(false)}
            save={async (endpoint) => {
              const { id, secret } = await api.createEndpoint(endpoint);
              setCreating(false);
              if (secret) setCreated({ id, secret });
              await endpoints.reload();
            }}
          />
        </Dialog>
      )}
      {created && (
        <SecretDialog
          title="Signing secret"
          secret={created.secret}
          text="Your receiver needs it to verify deliveries. It is shown only once. If you lose it, rotate it."
          onClose={() => go(`/dashboard/webhooks/${created.id}`)}
        />
      )}
    </>
  );
}

function EndpointCard({ endpoint }: { endpoint: EndpointView }) {
  return (
    <li class="card">
      <p class="row">
        <Link to={`/dashboard/webhooks/${endpoint.id}`} class="url">
          {endpoint.url}
        </Link>
        <Badge kind={endpoint.status}>{endpoint.status}</Badge>
        {endpoint.health.state === 'failing' && <Badge kind="failed">failing</Badge>}
      </p>
      {endpoint.description && <p>{endpoint.description}</p>}
      {endpoint.disabled_reason && <p class="warning">{endpoint.disabled_reason}</p>}
      <p class="hint">{endpoint.events.length === 0 ? 'All events' : endpoint.events.join(', ')}</p>
    </li>
  );
}
