import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { api, type DeliveryView, type EndpointView } from '../api';
import {
  Allowed,
  Badge,
  Cell,
  Chip,
  ClearFilters,
  ConfirmDialog,
  Empty,
  Field,
  NoMatch,
  Pager,
  Problem,
  Select,
  StatusSelect,
  Table,
  Time,
  toast,
  type Column,
  type GivesWay,
} from '../elements';
import { duration } from '../format';
import { useNow, useResource } from '../resource';
import { Link, useFilters, usePages } from '../router';
import { deliveryState } from '../states';
import { t } from '../texts';
import { EventOptions } from './event-names';

const HOUR_MS = 3_600_000;

export const spans = () => [
  { value: '', text: t.anyTime },
  { value: '1', text: t.lastHour },
  { value: '24', text: t.lastDay },
  { value: '168', text: t.lastWeek },
];

export function EventSelect({ value, onChange }: { value: string; onChange: (event: string) => void }) {
  return (
    <Select label={t.event} value={value} onChange={onChange} options={[{ value: '', text: t.any }]}>
      <EventOptions chosen={value} />
    </Select>
  );
}

/** The delivery log of an endpoint. Its first page refreshes itself. */
export function DeliveryLog({ endpoint }: { endpoint: EndpointView }) {
  const [recovering, setRecovering] = useState(false);
  const filters = useFilters(['status', 'event', 'hours']);
  const { status, event, hours } = filters.values;
  const pages = usePages();
  const log = useResource(
    () => api.deliveries(endpoint.id, { status, event, since: since(hours), cursor: pages.cursor }),
    JSON.stringify([filters.values, pages.cursor]),
    pages.isFirst ? 'deliveries' : undefined,
  );
  const list = log.data?.data;
  return (
    <section aria-labelledby="log-title">
      <div class="heading">
        <h2 id="log-title">{t.deliveries}</h2>
        <Allowed scope="manage">
          <span class="actions">
            <button
              type="button"
              class="btn"
              disabled={endpoint.status !== 'active'}
              title={endpoint.status === 'active' ? undefined : t.enableFirst}
              onClick={() => setRecovering(true)}
            >
              {t.retryFailed}
            </button>
          </span>
        </Allowed>
      </div>
      <div class="filters">
        <StatusSelect
          states={t.deliveryStates}
          value={status}
          onChange={(value) => filters.set('status', value)}
        />
        <EventSelect value={event} onChange={(value) => filters.set('event', value)} />
        <Select
          label={t.created}
          value={hours}
          onChange={(value) => filters.set('hours', value)}
          options={spans()}
        />
        <ClearFilters filters={filters} />
      </div>
      <Problem error={log.error} />
      {list?.length === 0 &&
        (filters.isFiltered ? (
          <NoMatch icon="list" title={t.noDeliveriesMatch} filters={filters} />
        ) : (
          <Empty icon="list" title={t.noDeliveries} text={t.noDeliveriesText} />
        ))}
      {list && list.length > 0 && (
        <Table label={t.deliveries} columns={deliveryColumns(ofEndpoint)}>
          {list.map((delivery) => (
            <tr key={delivery.id}>
              <DeliveryCells delivery={delivery} ways={ofEndpoint} />
            </tr>
          ))}
        </Table>
      )}
      <Pager pages={pages} next={log.data?.next_cursor ?? null} />
      {recovering && <RecoverDialog id={endpoint.id} onClose={() => setRecovering(false)} />}
    </section>
  );
}

export function since(hours: string): string {
  return hours && new Date(Date.now() - Number(hours) * HOUR_MS).toISOString();
}

/** Which columns give way: beside its endpoint a delivery has less space than in the log of one endpoint. */
type Ways = { attempts: GivesWay; lastResponse?: GivesWay };
export const besideEndpoint: Ways = { attempts: 'soon', lastResponse: 'late' };
const ofEndpoint: Ways = { attempts: 'late' };

export const deliveryColumns = ({ attempts, lastResponse }: Ways): Column[] => [
  t.event,
  t.status,
  { title: t.attempts, givesWay: attempts },
  lastResponse ? { title: t.lastResponse, givesWay: lastResponse } : t.lastResponse,
  t.created,
];

/** The cells of a delivery in both logs. */
export function DeliveryCells({ delivery, ways }: { delivery: DeliveryView; ways: Ways }) {
  const state = deliveryState(delivery.status);
  return (
    <>
      <Cell label={t.event} lead>
        <Link to={`/dashboard/deliveries/${delivery.id}`}>{delivery.event}</Link>{' '}
        {delivery.test && <Chip>{t.testMark}</Chip>}
      </Cell>
      <Cell label={t.status}>
        <Badge tone={state.tone}>{state.text}</Badge>
        <span class="beside soon">
          <NextAttempt delivery={delivery} />
        </span>
      </Cell>
      <Cell label={t.attempts} class="figure" givesWay={ways.attempts}>
        {delivery.attempt_count}
      </Cell>
      <Cell label={t.lastResponse} class="figure" {...(ways.lastResponse && { givesWay: ways.lastResponse })}>
        {delivery.last_http_status ?? errorKind(delivery.last_error) ?? '–'}
      </Cell>
      <Cell label={t.created}>
        <Time at={delivery.created_at} />
      </Cell>
    </>
  );
}

/** The kind of a failure without a response, in words. */
export function errorKind(error: string | null): string | null {
  if (error === null) return null;
  return (t.attemptErrors as Record<string, string | undefined>)[error] ?? error;
}

/** Countdown to the next attempt. */
export function NextAttempt({
  delivery,
}: {
  delivery: Pick<DeliveryView, 'status' | 'next_attempt_at' | 'attempt_count'>;
}) {
  const now = useNow();
  if (delivery.status !== 'pending') return null;
  if (delivery.next_attempt_at === null) return <span class="hint">{t.attemptInProgress}</span>;
  const left = Math.max(0, Math.ceil((Date.parse(delivery.next_attempt_at) - now) / 1000));
  return (
    <span class="hint countdown" title={delivery.next_attempt_at}>
      {left === 0 ? t.dueNow : t.nextAttemptIn(duration(left))}
    </span>
  );
}

function RecoverDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const [hours, setHours] = useState('24');
  return (
    <ConfirmDialog
      title={t.retryFailed}
      confirm={t.retry}
      kind="primary"
      act={async () => {
        const { recovered } = await api.recover(id, since(hours));
        toast(t.queuedForRetry(recovered));
      }}
      onClose={onClose}
    >
      <Field label={t.failedWithin} hint={t.retryFailedHint}>
        {(attributes) => (
          <select {...attributes} value={hours} onChange={(event) => setHours(event.currentTarget.value)}>
            <option value="1">{t.lastHour}</option>
            <option value="24">{t.lastDay}</option>
            <option value="168">{t.lastWeek}</option>
            <option value={limits.webhookRecoverDays * 24}>{t.lastDays(limits.webhookRecoverDays)}</option>
          </select>
        )}
      </Field>
    </ConfirmDialog>
  );
}
