import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { api, type EndpointView, type Stats } from '../api';
import {
  Ago,
  Badge,
  Clip,
  CreateButton,
  Empty,
  EndpointName,
  Problem,
  Sparkline,
  Table,
  Cell,
} from '../elements';
import { duration, hourOfDay, percent } from '../format';
import { pageTexts } from '../page-texts';
import { useNow, useResource } from '../resource';
import { go, Heading, Link } from '../router';
import { endpointState } from '../states';
import { t } from '../texts';
import { NewEndpoint } from './new-endpoint';

const REFRESH_MS = 5_000;
const STATS_MS = 30_000;

export function Endpoints() {
  const endpoints = useResource(api.endpoints, 'endpoints', REFRESH_MS);
  const stats = useResource(api.allStats, 'stats', STATS_MS);
  const hours = new Map(stats.data?.data.map((each) => [each.endpoint_id, each]));
  const [creating, setCreating] = useState(false);
  const list = endpoints.data?.data;
  const isEmpty = list?.length === 0;
  const isFull = list !== undefined && list.length >= limits.webhookEndpoints;
  const create = (
    <CreateButton
      scope="manage"
      act={() => setCreating(true)}
      text={t.newEndpoint}
      full={isFull ? pageTexts().endpointsFull(limits.webhookEndpoints) : null}
    />
  );
  return (
    <>
      <div class="heading">
        <Heading title={t.endpoints} />
        {!isEmpty && create}
      </div>
      <p class="lead">
        {t.webhooksLead}{' '}
        <a href={t.webhooksGuide} target="_blank" rel="noopener">
          {t.webhooksDocs}
        </a>
      </p>
      <Problem error={endpoints.error} />
      {isEmpty && (
        <Empty icon="bolt" title={t.noEndpoints} text={t.noEndpointsText}>
          {create}
        </Empty>
      )}
      {list && list.length > 0 && (
        <Table
          label={t.endpoints}
          columns={[
            t.endpoint,
            t.status,
            t.successRate24h,
            t.last24h,
            t.lastDelivery,
            { title: t.events, givesWay: 'soon' },
          ]}
        >
          {list.map((endpoint) => (
            <Row key={endpoint.id} endpoint={endpoint} stats={hours.get(endpoint.id)} />
          ))}
        </Table>
      )}
      {creating && (
        <NewEndpoint
          onCreated={endpoints.reload}
          onClose={(id) => {
            setCreating(false);
            if (id) go(`/dashboard/webhooks/${id}`);
          }}
        />
      )}
    </>
  );
}

function Row({ endpoint, stats }: { endpoint: EndpointView; stats: Stats | undefined }) {
  const state = endpointState(endpoint);
  const health = endpoint.health;
  return (
    <tr>
      <Cell label={t.endpoint} lead>
        <Link to={`/dashboard/webhooks/${endpoint.id}`}>
          <EndpointName url={endpoint.url} description={endpoint.description} />
        </Link>
      </Cell>
      <Cell label={t.status}>
        <Badge tone={state.tone}>{state.text}</Badge>
        {health?.failing_since && (
          <span class="hint beside soon">
            <FailingFor since={health.failing_since} />
          </span>
        )}
      </Cell>
      <Cell label={t.successRate24h} class="figure">
        {health?.success_rate_24h == null ? '–' : percent(health.success_rate_24h)}
      </Cell>
      <Cell label={t.last24h}>
        <Hours stats={stats} />
      </Cell>
      <Cell label={t.lastDelivery}>
        <Ago at={health?.last_delivery_at ?? null} />
      </Cell>
      <Cell label={t.events} givesWay="soon">
        {endpoint.events.length === 0 ? t.allEvents : <Clip>{endpoint.events.join(', ')}</Clip>}
      </Cell>
    </tr>
  );
}

function FailingFor({ since }: { since: string }) {
  const seconds = Math.max(0, Math.floor((useNow() - Date.parse(since)) / 1000));
  return <span class="figure">{t.failingFor(duration(seconds))}</span>;
}

/** The last 24 hours of an endpoint. */
export function EndpointSparkline({ id, wide }: { id: string; wide?: boolean }) {
  const stats = useResource(() => api.stats(id), id, STATS_MS);
  return <Hours stats={stats.data ?? undefined} {...(wide ? { wide } : {})} />;
}

function Hours({ stats, wide }: { stats: Stats | undefined; wide?: boolean }) {
  if (!stats) return <span class="sparkline" />;
  const { bars, good, bad } = sparkBars(stats);
  return <Sparkline bars={bars} label={t.sparklineLabel(good, bad)} {...(wide ? { wide } : {})} />;
}

function sparkBars({ buckets }: Stats) {
  const bars = buckets.map(({ at, succeeded, failed }) => ({
    title: t.sparklineHour(hourOfDay(at), succeeded, failed),
    good: succeeded,
    bad: failed,
  }));
  const good = buckets.reduce((sum, { succeeded }) => sum + succeeded, 0);
  const bad = buckets.reduce((sum, { failed }) => sum + failed, 0);
  return { bars, good, bad };
}
