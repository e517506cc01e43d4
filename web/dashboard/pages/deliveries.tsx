import { useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { savedQueries, workflowListUrl } from '../../../src/contract/saved-queries';
import { can } from '../access';
import { api, query, type DeliveryView } from '../api';
import {
  ActionButton,
  Cell,
  ClearFilters,
  DownloadButton,
  Empty,
  Icon,
  NoMatch,
  Pager,
  Problem,
  SearchField,
  Select,
  Table,
  toast,
} from '../elements';
import { useResource } from '../resource';
import { Heading, Link, useFilters, usePages } from '../router';
import { t } from '../texts';
import { DeliveryCells, EventSelect, since, spans, statusOptions } from './delivery-log';

/** Deliveries of all endpoints, deleted ones included, with search and a retry of several at once. */
export function Deliveries({ workflowsUrl }: { workflowsUrl: string | null }) {
  const filters = useFilters(['q', 'status', 'event', 'endpoint', 'hours']);
  const { q, status, event, endpoint, hours } = filters.values;
  const pages = usePages();
  const [chosen, setChosen] = useState<string[]>([]);
  const [error, setError] = useState<Error | null>(null);
  const endpoints = useResource(api.endpoints, 'endpoints');
  const log = useResource(
    () =>
      api.allDeliveries({
        q,
        status,
        event,
        endpoint_id: endpoint,
        since: since(hours),
        cursor: pages.cursor,
      }),
    JSON.stringify([filters.values, pages.cursor]),
    pages.isFirst && q === '' ? 'deliveries' : undefined,
  );
  const list = log.data?.data;
  const isSelectable = can('manage');
  const shown = chosen.filter((id) => list?.some((delivery) => delivery.id === id));
  const retry = async () => {
    const result = await api.retryDeliveries(shown);
    setChosen([]);
    toast(t.queuedForRetry(result.retried));
    if (result.failed.length > 0) setError(new Error(t.notRetried(result.failed.length)));
    await log.reload();
  };
  return (
    <>
      <div class="heading">
        <Heading title={t.deliveries} />
        <span class="actions">
          <DownloadButton
            path={`/v1/export/deliveries${query({ q, status, event, endpoint_id: endpoint, since: since(hours) })}`}
            filename="deliveries.csv"
            text={t.exportCsv}
          />
          {workflowsUrl && (
            <a
              class="btn"
              href={workflowListUrl(workflowsUrl, savedQueries.retrying)}
              target="_blank"
              rel="noopener"
            >
              {t.retryingInTemporal} <Icon name="arrowTopRight" small />
            </a>
          )}
        </span>
      </div>
      <p class="lead">{t.deliveriesLead}</p>
      <div class="filters">
        <SearchField
          label={t.search}
          placeholder={t.searchDeliveries}
          maxLength={limits.webhookSearchLength.max}
          value={q}
          onChange={(value) => filters.set('q', value)}
        />
        <Select
          label={t.status}
          value={status}
          onChange={(value) => filters.set('status', value)}
          options={statusOptions()}
        />
        <EventSelect value={event} onChange={(value) => filters.set('event', value)} />
        <Select
          label={t.endpoint}
          value={endpoint}
          onChange={(value) => filters.set('endpoint', value)}
          options={[
            { value: '', text: t.any },
            ...(endpoints.data?.data ?? []).map(({ id, url }) => ({ value: id, text: url })),
          ]}
        />
        <Select
          label={t.created}
          value={hours}
          onChange={(value) => filters.set('hours', value)}
          options={spans()}
        />
        <ClearFilters filters={filters} />
      </div>
      <Problem error={log.error ?? error} />
      {shown.length > 0 && (
        <p class="selection">
          {t.selected(shown.length)}{' '}
          <ActionButton kind="primary" small act={retry} onError={setError}>
            {t.retrySelected}
          </ActionButton>
          <button type="button" class="btn small" onClick={() => setChosen([])}>
            {t.clearSelection}
          </button>
        </p>
      )}
      {list?.length === 0 && filters.isFiltered && (
        <NoMatch icon="list" title={t.noDeliveriesMatch} filters={filters} />
      )}
      {list?.length === 0 && !filters.isFiltered && (
        <Empty icon="list" title={t.noDeliveries} text={t.noDeliveriesText}>
          <p class="buttons">
            <Link class="btn" to="/dashboard/webhooks">
              {t.webhooks}
            </Link>
          </p>
        </Empty>
      )}
      {list && list.length > 0 && (
        <Table
          label={t.deliveries}
          columns={[
            ...(isSelectable ? [`!${t.select}`] : []),
            t.event,
            t.status,
            t.attempts,
            t.lastResponse,
            t.created,
            t.endpoint,
          ]}
        >
          {list.map((delivery) => (
            <Row
              key={delivery.id}
              delivery={delivery}
              isSelectable={isSelectable}
              isChosen={chosen.includes(delivery.id)}
              choose={(on) =>
                setChosen((before) =>
                  on ? [...before, delivery.id] : before.filter((other) => other !== delivery.id),
                )
              }
            />
          ))}
        </Table>
      )}
      <Pager pages={pages} next={log.data?.next_cursor ?? null} />
    </>
  );
}

function Row(props: {
  delivery: DeliveryView;
  isSelectable: boolean;
  isChosen: boolean;
  choose: (on: boolean) => void;
}) {
  const { delivery } = props;
  return (
    <tr>
      {props.isSelectable && (
        <td class="select">
          <input
            type="checkbox"
            aria-label={t.selectDelivery(delivery.event)}
            checked={props.isChosen}
            onChange={(event) => props.choose(event.currentTarget.checked)}
          />
        </td>
      )}
      <DeliveryCells delivery={delivery} />
      <Cell label={t.endpoint}>
        <span class="clip" title={delivery.endpoint_url ?? ''}>
          {delivery.endpoint_url ?? '–'}
        </span>
      </Cell>
    </tr>
  );
}
