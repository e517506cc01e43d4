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
        {delivery.test && <Badge kind="test">test</Badge>}
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
        {workflowsUrl && delivery.workflow_id && (
          <a
            class="button"
            href={`${workflowsUrl}/workflows/${encodeURIComponent(delivery.workflow_id)}`}
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
        <dt>Endpoint</dt>
        <dd class="url">{delivery.endpoint_url}</dd>
        <dt>Lane</dt>
        <dd>{delivery.lane ?? 'Not started'}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={delivery.created_at} />
        </dd>
        <dt>Ended</dt>
        <dd>
          <Time at={delivery.ended_at} />
          {delivery.ended_reason && <span class="hint"> {endedReasons[delivery.ended_reason]}</span>}
        </dd>
      </dl>
      <h2>Attempts</h2>
      {delivery.attempts.length === 0 && <p class="empty">No attempts yet.</p>}
      <ol class="attempts">
        {delivery.attempts.toReversed().map((attempt, index) => (
          <AttemptItem key={attempt.number} attempt={attempt} open={index === 0} />
        ))}
      </ol>
      <h2>Body</h2>
      <p class="hint">Every attempt sends and signs exactly these bytes.</p>
      <pre tabIndex={0}>{delivery.body}</pre>
      <CopyButton text={delivery.body} label="Copy body" />
    </>
  );
}

function AttemptItem(props: { attempt: Attempt; open: boolean }) {
  const { attempt } = props;
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
        {attempt.request_headers === null ? (
          <p class="hint">{running ? 'Not recorded yet.' : 'No request was sent, or it was not recorded.'}</p>
        ) : (
          <pre tabIndex={0}>{lines(attempt.request_headers)}</pre>
        )}
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

const endedReasons: Record<NonNullable<Delivery['ended_reason']>, string> = {
  delivered: 'The receiver accepted it',
  refused_by_receiver: 'The receiver refused it',
  schedule_used_up: 'Every scheduled attempt failed',
  cancelled: 'Cancelled by request',
  endpoint_removed: 'The endpoint was deleted',
  parked_too_long: 'The endpoint was disabled for too long',
};

function lines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function response(attempt: Attempt): string {
  const body = attempt.response_body || '(empty body)';
  return [`HTTP ${attempt.status}`, lines(attempt.response_headers), '', body].join('\n');
}
