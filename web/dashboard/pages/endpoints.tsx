import { useState } from 'preact/hooks';
import { api, type EndpointView } from '../api';
import { Badge, Dialog, Empty, Problem, SecretDialog } from '../elements';
import { useResource } from '../resource';
import { go, Link } from '../router';
import { EndpointForm } from './endpoint-form';

const LOOK_MS = 5_000;

export function Endpoints() {
  const endpoints = useResource(api.endpoints, 'endpoints', LOOK_MS);
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
        Herald sends events to these addresses, signs them and tries again until they are received.{' '}
        <a href="/docs/webhooks" target="_blank" rel="noopener">
          How to receive them
        </a>
      </p>
      <Problem error={endpoints.error} />
      {list?.length === 0 && <Empty>There is no endpoint yet.</Empty>}
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
              setCreated({ id, secret });
              await endpoints.reload();
            }}
          />
        </Dialog>
      )}
      {created && (
        <SecretDialog
          title="The endpoint’s secret"
          secret={created.secret}
          text="It signs every delivery. Keep it with your receiver: it is shown this one time and can only be replaced."
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
      </p>
      {endpoint.description && <p>{endpoint.description}</p>}
      {endpoint.disabled_reason && <p class="warning">{endpoint.disabled_reason}</p>}
      <p class="hint">{endpoint.events.length === 0 ? 'All events' : endpoint.events.join(', ')}</p>
    </li>
  );
}
