import { useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { api, type DeliveryView, type EndpointView } from '../api';
import {
  ActionButton,
  Badge,
  Dialog,
  Empty,
  Field,
  Pager,
  Problem,
  Select,
  Time,
  usePages,
} from '../elements';
import { useNow, useResource } from '../resource';
import { Link } from '../router';

const REFRESH_MS = 2_500;
const statuses = ['pending', 'succeeded', 'failed', 'paused', 'cancelled'];
const HOUR_MS = 3_600_000;
const spans = [
  { value: '', text: 'Any time' },
  { value: '1', text: 'Last hour' },
  { value: '24', text: 'Last day' },
  { value: '168', text: 'Last week' },
];

/** The delivery log of an endpoint. Its first page refreshes itself. */
export function DeliveryLog({ endpoint }: { endpoint: EndpointView }) {
  const [status, setStatus] = useState('');
  const [event, setEvent] = useState('');
  const [hours, setHours] = useState('');
  const [recovering, setRecovering] = useState(false);
  const pages = usePages();
  const types = useResource(api.eventTypes, 'event-types');
  const filter = { status, event, cursor: pages.cursor };
  const log = useResource(
    () => api.deliveries(endpoint.id, { ...filter, since: since(hours) }),
    JSON.stringify({ ...filter, hours }),
    pages.isFirst ? REFRESH_MS : undefined,
  );
  const filtered = status !== '' || event !== '' || hours !== '';
  const list = log.data?.data;
  return (
    <section aria-labelledby="log-title">
      <div class="heading">
        <h2 id="log-title">Deliveries</h2>
        <button
          type="button"
          class="plain"
          disabled={endpoint.status !== 'active'}
          onClick={() => setRecovering(true)}
        >
          Retry failed deliveries
        </button>
      </div>
      <div class="filters">
        <Select
          label="Status"
          value={status}
          onChange={pages.choose(setStatus)}
          options={[{ value: '', text: 'Any' }, ...statuses.map((value) => ({ value, text: value }))]}
        />
        <Select
          label="Event"
          value={event}
          onChange={pages.choose(setEvent)}
          options={[
            { value: '', text: 'Any' },
            ...(types.data?.data ?? []).map(({ name }) => ({ value: name, text: name })),
          ]}
        />
        <Select label="Created" value={hours} onChange={pages.choose(setHours)} options={spans} />
      </div>
      <Problem error={log.error} />
      {list?.length === 0 && (
        <Empty>
          {filtered
            ? 'No deliveries match these filters.'
            : 'No deliveries yet. Send a test event to see one.'}
        </Empty>
      )}
      {list && list.length > 0 && (
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Event</th>
              <th scope="col">Status</th>
              <th scope="col">Attempts</th>
              <th scope="col">Last response</th>
              <th scope="col">Created</th>
            </tr>
          </thead>
          <tbody>
            {list.map((delivery) => (
              <Row key={delivery.id} delivery={delivery} />
            ))}
          </tbody>
        </table>
      )}
      <Pager pages={pages} next={log.data?.next_cursor ?? null} />
      {recovering && <RecoverDialog id={endpoint.id} onClose={() => setRecovering(false)} />}
    </section>
  );
}

function since(hours: string): string {
  return hours && new Date(Date.now() - Number(hours) * HOUR_MS).toISOString();
}

function Row({ delivery }: { delivery: DeliveryView }) {
  return (
    <tr>
      <td data-label="Event">
        <Link to={`/dashboard/deliveries/${delivery.id}`}>{delivery.event}</Link>
      </td>
      <td data-label="Status">
        <Badge kind={delivery.status}>{delivery.status}</Badge>{' '}
        {delivery.test && <Badge kind="test">test</Badge>} <NextAttempt delivery={delivery} />
      </td>
      <td data-label="Attempts">{delivery.attempt_count}</td>
      <td data-label="Last response">{delivery.last_http_status ?? delivery.last_error ?? '–'}</td>
      <td data-label="Created">
        <Time at={delivery.created_at} />
      </td>
    </tr>
  );
}

/** Countdown to the next attempt. */
export function NextAttempt({
  delivery,
}: {
  delivery: Pick<DeliveryView, 'status' | 'next_attempt_at' | 'attempt_count'>;
}) {
  const now = useNow();
  if (delivery.status !== 'pending') return null;
  if (delivery.next_attempt_at === null) return <span class="hint">attempt in progress</span>;
  const left = Math.max(0, Math.ceil((Date.parse(delivery.next_attempt_at) - now) / 1000));
  return (
    <span class="hint countdown" title={delivery.next_attempt_at}>
      {left === 0 ? 'due now' : `next attempt in ${duration(left)}`}
    </span>
  );
}

function duration(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds % 60, 's'],
  ];
  const shown = parts.filter(([amount]) => amount > 0).slice(0, 2);
  return shown.map(([amount, unit]) => `${amount} ${unit}`).join(' ') || '0 s';
}

function RecoverDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const [hours, setHours] = useState('24');
  const [error, setError] = useState<Error | null>(null);
  const [done, setDone] = useState<number | null>(null);
  return (
    <Dialog title="Retry failed deliveries" onClose={onClose}>
      <Field label="Failed within" hint="Each delivery is sent again with the same delivery ID.">
        {(fieldId) => (
          <select id={fieldId} value={hours} onChange={(event) => setHours(event.currentTarget.value)}>
            <option value="1">Last hour</option>
            <option value="24">Last day</option>
            <option value="168">Last week</option>
            <option value={limits.webhookRecoverDays * 24}>Last {limits.webhookRecoverDays} days</option>
          </select>
        )}
      </Field>
      <Problem error={error} />
      <p role="status">
        {done === null ? '' : `${done} ${done === 1 ? 'delivery' : 'deliveries'} queued for retry`}
      </p>
      <p class="buttons">
        <ActionButton
          kind="primary"
          onError={setError}
          act={async () => setDone((await api.recover(id, since(hours))).recovered)}
        >
          Retry
        </ActionButton>
        <button type="button" class="plain" onClick={onClose}>
          Close
        </button>
      </p>
    </Dialog>
  );
}
