import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { retryPolicies } from '../../../src/domains/webhooks/retry-schedule';
import { api, type Attempt, type Delivery, type EndpointView } from '../api';
import { disabledReason } from '../disabled-reason';
import {
  ActionButton,
  Allowed,
  Badge,
  Chip,
  CodeBlock,
  Copyable,
  Crumbs,
  Icon,
  JsonBlock,
  Problem,
  Time,
  toast,
} from '../elements';
import { number, shortDateAndTime } from '../format';
import { pageTexts } from '../page-texts';
import { useResource } from '../resource';
import { Heading } from '../router';
import { deliveryState } from '../states';
import { t } from '../texts';
import { errorKind, NextAttempt } from './delivery-log';

/** One delivery with its attempts. */
export function DeliveryPage({ id, workflowsUrl }: { id: string; workflowsUrl: string | null }) {
  const delivery = useResource(() => api.delivery(id), id, 'deliveries');
  const endpointId = delivery.data?.endpoint_id;
  // Null for a deleted endpoint, whose deliveries are kept.
  const endpoint = useResource(
    async () => (endpointId ? api.endpoint(endpointId).catch(() => null) : null),
    endpointId ?? '',
    'deliveries',
  );
  return (
    <>
      <Crumbs
        trail={[
          { to: '/dashboard/deliveries', text: t.deliveries },
          ...(endpointId
            ? [{ to: `/dashboard/webhooks/${endpointId}`, text: endpoint.data?.description || t.endpoint }]
            : []),
        ]}
      />
      {delivery.error && !delivery.data && <Heading title={t.delivery} />}
      <Problem error={delivery.error} />
      {delivery.data && (
        <Details
          delivery={delivery.data}
          endpoint={endpoint.data}
          workflowsUrl={workflowsUrl}
          reload={async () => {
            await Promise.all([delivery.reload(), endpoint.reload()]);
          }}
        />
      )}
    </>
  );
}

interface DetailsProps {
  delivery: Delivery;
  endpoint: EndpointView | null;
  workflowsUrl: string | null;
  reload: () => Promise<void>;
}

function Details({ delivery, endpoint, workflowsUrl, reload }: DetailsProps) {
  const [error, setError] = useState<Error | null>(null);
  const open = delivery.status === 'pending' || delivery.status === 'paused';
  const state = deliveryState(delivery.status);
  const url = delivery.endpoint_url ?? endpoint?.url;
  const workflow = delivery.workflow_id === undefined ? `delivery/${delivery.id}` : delivery.workflow_id;
  return (
    <>
      <div class="heading">
        <Heading title={delivery.event} />
        <Badge tone={state.tone}>{state.text}</Badge>
        {delivery.test && <Chip title={t.testMeans}>{t.testMark}</Chip>}
        <NextAttempt delivery={delivery} />
        <span class="actions">
          <Allowed scope="manage">
            {endpoint?.status === 'active' && (
              <ActionButton
                kind="primary"
                onError={setError}
                act={() =>
                  api
                    .retryDelivery(delivery.id)
                    .then(reload)
                    .then(() => toast(t.queuedForRetry(1)))
                }
              >
                {t.retryNow}
              </ActionButton>
            )}
            {open && (
              <ActionButton onError={setError} act={() => api.cancelDelivery(delivery.id).then(reload)}>
                {t.cancelDelivery}
              </ActionButton>
            )}
          </Allowed>
          {workflowsUrl && workflow && (
            <a
              class="btn"
              href={`${workflowsUrl}/workflows/${encodeURIComponent(workflow)}`}
              target="_blank"
              rel="noopener"
            >
              {t.openInTemporal} <Icon name="arrowTopRight" small />
            </a>
          )}
        </span>
      </div>
      <Problem error={error} />
      <Explanation delivery={delivery} endpoint={endpoint} reload={reload} onError={setError} />
      <section class="panel" aria-label={t.details}>
        <dl class="facts">
          {url && (
            <>
              <dt>{t.url}</dt>
              <dd>
                <Copyable text={url} label={t.copyUrl} />
              </dd>
            </>
          )}
          <dt>{t.deliveryId}</dt>
          <dd>
            <Copyable text={delivery.id} label={t.copyId} />
          </dd>
          <dt>{t.created}</dt>
          <dd>
            <Time at={delivery.created_at} />
          </dd>
          {delivery.ended_at && (
            <>
              <dt>{t.ended}</dt>
              <dd>
                <Time at={delivery.ended_at} />
              </dd>
            </>
          )}
        </dl>
      </section>
      <h2>{t.attempts}</h2>
      <Timeline delivery={delivery} endpoint={endpoint} />
      <h2>{t.body}</h2>
      <p class="hint">{t.bodyHint}</p>
      <JsonBlock raw={delivery.body} label={t.copyBody} />
    </>
  );
}

/** Why the delivery ended or waits, in words, and what can be done. */
function Explanation(props: {
  delivery: Delivery;
  endpoint: EndpointView | null;
  reload: () => Promise<void>;
  onError: (error: Error | null) => void;
}) {
  const { delivery, endpoint } = props;
  const isPaused = delivery.status === 'paused';
  const reason = endpoint?.disabled_reason;
  const end = endText(delivery);
  return (
    <>
      {end && <p class={delivery.status === 'failed' ? 'problem' : 'hint'}>{end}</p>}
      {(isPaused || endpoint?.status === 'disabled') && (
        <div class="note">
          <p>
            {isPaused && t.pausedBecause} {reason && t.disabledByHerald(disabledReason(reason))}{' '}
            {!isPaused && !reason && t.disabledByYou}{' '}
            {isPaused ? t.pausedUntil(limits.webhookPausedDays) : t.enableToRetry}
          </p>
          <Allowed scope="manage">
            <p class="buttons">
              <ActionButton
                kind="primary"
                small
                onError={props.onError}
                act={async () => {
                  await api.changeEndpoint(delivery.endpoint_id, { status: 'active' });
                  toast(t.endpointEnabled);
                  await props.reload();
                }}
              >
                {t.enableEndpoint}
              </ActionButton>
            </p>
          </Allowed>
        </div>
      )}
    </>
  );
}

function endText(delivery: Delivery): string | null {
  if (delivery.status === 'pending' || delivery.status === 'paused') return null;
  const reason = delivery.ended_reason ?? (delivery.status === 'cancelled' ? 'cancelled' : null);
  if (reason === 'refused_by_receiver' && delivery.last_http_status !== null) {
    return t.refused(delivery.last_http_status);
  }
  return reason && t.endedReasons[reason];
}

/** Attempts made, newest first, below those that are still to come. */
function Timeline({ delivery, endpoint }: { delivery: Delivery; endpoint: EndpointView | null }) {
  const coming = comingAttempts(delivery, endpoint);
  const made = delivery.attempts.at(-1)?.number ?? 0;
  return (
    <ol class="timeline">
      {coming.length > 1 && <li class="coming hint">{pageTexts().laterAttempts}</li>}
      {coming.toReversed().map((at, index) => (
        <li key={at} class="coming">
          <Icon name="clock" small />
          <span>
            {index === coming.length - 1
              ? t.scheduledFor
              : `${pageTexts().attempt(made + coming.length - index)}:`}{' '}
            {shortDateAndTime(at)}
          </span>
        </li>
      ))}
      {delivery.attempts.length === 0 && <li class="hint">{t.noAttemptsYet}</li>}
      {delivery.attempts.toReversed().map((attempt, index) => (
        <AttemptItem key={attempt.number} attempt={attempt} open={index === 0} />
      ))}
    </ol>
  );
}

/** The next attempt, and those that the retry policy schedules after it if it fails as well. */
function comingAttempts(delivery: Delivery, endpoint: EndpointView | null): number[] {
  if (delivery.status !== 'pending' || delivery.next_attempt_at === null) return [];
  const next = Date.parse(delivery.next_attempt_at);
  if (!endpoint || delivery.first_attempt_at === null) return [next];
  const first = Date.parse(delivery.first_attempt_at);
  const scheduled = retryPolicies[endpoint.retry_policy].offsets.map((offset) => first + offset * 1000);
  return [next, ...scheduled.filter((at) => at > next + 1000)];
}

function AttemptItem({ attempt, open }: { attempt: Attempt; open: boolean }) {
  const succeeded = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
  const running = attempt.duration_ms === null;
  const outcome = running ? t.inProgress : (attempt.status ?? errorKind(attempt.error) ?? t.noResponse);
  return (
    <li class={running ? 'running' : succeeded ? 'succeeded' : 'failed'}>
      <Icon name={running ? 'arrowPath' : succeeded ? 'checkCircle' : 'xCircle'} small />
      <details open={open}>
        <summary>
          <span>{pageTexts().attempt(attempt.number)}</span>{' '}
          <Badge tone={running ? 'busy' : succeeded ? 'good' : 'bad'}>{outcome}</Badge>{' '}
          <Time at={attempt.attempted_at} />
          {attempt.duration_ms !== null && (
            <span class="hint figure">
              {' '}
              {number(attempt.duration_ms)}
              {'\u00a0'}
              {t.ms}
            </span>
          )}
        </summary>
        {attempt.error_detail && (
          <p class="hint">
            <code lang="en">{attempt.error_detail}</code>
          </p>
        )}
        {attempt.request_headers && (
          <>
            <h3>{t.requestHeaders}</h3>
            <CodeBlock code={headerLines(attempt.request_headers)} label={t.copyHeaders} />
          </>
        )}
        <h3>{t.response}</h3>
        {attempt.status === null ? (
          <p class="hint">{running ? t.noResponseYet : t.noCompleteResponse}</p>
        ) : (
          <CodeBlock code={response(attempt)} label={t.copyResponse} />
        )}
      </details>
    </li>
  );
}

function headerLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function response(attempt: Attempt): string {
  const lines = [`HTTP ${attempt.status}`, headerLines(attempt.response_headers)].filter(Boolean);
  return [...lines, '', attempt.response_body || t.emptyBody].join('\n');
}
