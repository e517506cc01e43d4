import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { savedQueries, workflowListUrl } from '../../../src/base/contract/saved-queries';
import { can } from '../access';
import { api, query } from '../api';
import {
  ActionButton,
  Cell,
  ClearFilters,
  DownloadButton,
  Empty,
  EndpointName,
  Icon,
  NoMatch,
  None,
  Pager,
  Problem,
  SearchField,
  Select,
  StatusSelect,
  SelectCell,
  Table,
  toast,
} from '../elements';
import { useResource } from '../resource';
import { Heading, Link, useFilters, usePages } from '../router';
import { t } from '../texts';
import { besideEndpoint, DeliveryCells, deliveryColumns, EventSelect, since, spans } from './delivery-log';

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
  const shown = chosen.filter((id) => list?.some((delivery) => delivery.id === id));
  const described = new Map(endpoints.data?.data.map(({ id, description }) => [id, description]));
  const retry = async () => {
    const result = await api.retryDeliveries(shown);
    setChosen([]);
    toast(t.queuedForRetry(result.retried));
    if (result.failed.length > 0) setError(new Error(t.notRetried(result.failed.length)));
    await log.reload();
  };
  const selection = can('manage')
    ? {
        all: (list ?? []).map(({ id }) => id),
        chosen: shown,
        onChange: setChosen,
        text: t.selected(shown.length),
        actions: (
          <ActionButton kind="primary" small act={retry} onError={setError}>
            {t.retrySelected}
          </ActionButton>
        ),
      }
    : undefined;
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
        <StatusSelect
          states={t.deliveryStates}
          value={status}
          onChange={(value) => filters.set('status', value)}
        />
        <EventSelect value={event} onChange={(value) => filters.set('event', value)} />
        <Select
          label={t.endpoint}
          value={endpoint}
          onChange={(value) => filters.set('endpoint', value)}
          options={[
            { value: '', text: t.any },
            ...(endpoints.data?.data ?? []).map(({ id, url, description }) => ({
              value: id,
              text: description ?? url.replace(/^https?:\/\//, ''),
            })),
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
      {list?.length === 0 && filters.isFiltered && (
        <NoMatch icon="list" title={t.noDeliveriesMatch} filters={filters} />
      )}
      {list?.length === 0 && !filters.isFiltered && (
        <Empty icon="list" title={t.noDeliveries} text={t.noDeliveriesText}>
          <p class="buttons">
            <Link class="btn" to="/dashboard/webhooks">
              {t.endpoints}
            </Link>
          </p>
        </Empty>
      )}
      {list && list.length > 0 && (
        <Table
          label={t.deliveries}
          selection={selection}
          columns={[...deliveryColumns(besideEndpoint), t.endpoint]}
        >
          {list.map((delivery) => (
            <tr key={delivery.id}>
              {selection && (
                <SelectCell id={delivery.id} label={t.selectDelivery(delivery.event)} selection={selection} />
              )}
              <DeliveryCells delivery={delivery} ways={besideEndpoint} />
              <Cell label={t.endpoint}>
                {delivery.endpoint_url === null ? (
                  <None />
                ) : (
                  <EndpointName
                    url={delivery.endpoint_url}
                    description={described.get(delivery.endpoint_id)}
                  />
                )}
              </Cell>
            </tr>
          ))}
        </Table>
      )}
      <Pager pages={pages} next={log.data?.next_cursor ?? null} />
    </>
  );
}
