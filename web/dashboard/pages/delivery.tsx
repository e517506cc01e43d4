import { useState } from 'preact/hooks';
import { api, type Attempt, type Delivery } from '../api';
import { ActionButton, Badge, CopyButton, Problem, Time } from '../elements';
import { useResource } from '../resource';
import { Link } from '../router';
import { NextAttempt } from './delivery-log';

const REFRESH_MS = 1_500;

/** One delivery with its attempts. */
export function DeliveryPage({ id, workflowsUrl }: { id: string; workflowsUrl: string | null }) {
  const delivery = useResource(() => api.delivery(id), id, REFRESH_MS);
  return (
    <>
      <p class="crumbs">
        <Link to="/dashboard/webhooks">Webhooks</Link>
        {delivery.data && <Link to={`/dashboard/webhooks/${delivery.data.endpoint_id}`}>Endpoint</Link>}
      </p>
      {!delivery.data && <h1>Delivery</h1>}
      <Problem error={delivery.error} />
      {delivery.data && (
        <Details delivery={delivery.data} workflowsUrl={workflowsUrl} reload={delivery.reload} />
      )}
    </>
  );
}

function Details(props: { delivery: Delivery; workflowsUrl: string | null; reload: () => Promise<void> }) {
  const { delivery, workflowsUrl, reload } = props;
  const [error, setError] = useState<Error | null>(null);
  const open = delivery.status === 'pending' || delivery.status === 'paused';
  return (
    <>
      <div class="heading">
        <h1>{delivery.event}</h1>
        <Badge kind={delivery.status}>{delivery.status}</Badge>
        <NextAttempt delivery={delivery} />
      </div>
      <p class="buttons">
        <ActionButton
          kind="primary"
          onError={setError}
          act={() => api.retryDelivery(delivery.id).then(reload)}
        >
          Retry now
        </ActionButton>
        {open && (
          <ActionButton onError={setError} act={() => api.cancelDelivery(delivery.id).then(reload)}>
            Cancel
          </ActionButton>
        )}
        {workflowsUrl && (
          <a
            class="button"
            href={`${workflowsUrl}/workflows/${encodeURIComponent(`delivery/${delivery.id}`)}`}
            target="_blank"
            rel="noopener"
          >
            Open in Temporal UI
          </a>
        )}
      </p>
      <Problem error={error} />
      <dl class="facts">
        <dt>Delivery ID</dt>
        <dd>
          <code>{delivery.id}</code>
        </dd>
        <dt>Created</dt>
        <dd>
          <Time at={delivery.created_at} />
        </dd>
        <dt>Ended</dt>
        <dd>
          <Time at={delivery.ended_at} />
        </dd>
      </dl>
      <h2>Attempts</h2>
      {delivery.attempts.length === 0 && <p class="empty">No attempts yet.</p>}
      <ol class="attempts">
        {delivery.attempts.toReversed().map((attempt, index) => (
          <AttemptItem key={attempt.number} attempt={attempt} delivery={delivery} open={index === 0} />
        ))}
      </ol>
      <h2>Body</h2>
      <p class="hint">Every attempt sends and signs exactly these bytes.</p>
      <pre tabIndex={0}>{delivery.body}</pre>
      <CopyButton text={delivery.body} label="Copy body" />
    </>
  );
}

function AttemptItem(props: { attempt: Attempt; delivery: Delivery; open: boolean }) {
  const { attempt, delivery } = props;
  const succeeded = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
  const running = attempt.duration_ms === null;
  const outcome = running ? 'in progress' : (attempt.status ?? attempt.error ?? 'no response');
  return (
    <li>
      <details open={props.open}>
        <summary>
          <span>#{attempt.number}</span>{' '}
          <Badge kind={running ? 'pending' : succeeded ? 'succeeded' : 'failed'}>{outcome}</Badge>{' '}
          <Time at={attempt.attempted_at} />
          {attempt.duration_ms !== null && <span class="hint"> {attempt.duration_ms} ms</span>}
        </summary>
        {attempt.error_detail && <p>{attempt.error_detail}</p>}
        {attempt.next_attempt_at && (
          <p class="hint">
            Next attempt was scheduled for <Time at={attempt.next_attempt_at} />.
          </p>
        )}
        <h3>Request headers</h3>
        <pre tabIndex={0}>{requestHeaders(delivery)}</pre>
        <h3>Response</h3>
        {attempt.status === null ? (
          <p class="hint">{running ? 'No response yet.' : 'No complete response.'}</p>
        ) : (
          <pre tabIndex={0}>{response(attempt)}</pre>
        )}
      </details>
    </li>
  );
}

/** Signatures are not stored with attempts, so they cannot be shown. */
function requestHeaders(delivery: Delivery): string {
  return [
    'Content-Type: application/json',
    `X-Service-Event: ${delivery.event}`,
    `X-Service-Delivery-Id: ${delivery.id}`,
    'X-Service-Timestamp: <attempt time>',
    'X-Service-Signature: t=<attempt time>,v1=<not stored>',
  ].join('\n');
}

function response(attempt: Attempt): string {
  const headers = Object.entries(attempt.response_headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP ${attempt.status}`, ...headers, '', attempt.response_body || '(empty body)'].join('\n');
}
