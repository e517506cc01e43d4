import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import {
  api,
  type EndpointStats,
  type EndpointView,
  type ProjectView,
  type Stats,
  type UsageView,
} from '../api';
import { disabledReason } from '../disabled-reason';
import { ActionButton, Allowed, Icon, LoginChart, Problem, Sparkline, toast } from '../elements';
import { dateAndTime, hourOfDay, monthAndYear, number, percent, shortDateAndTime } from '../format';
import { pageTexts } from '../page-texts';
import { useChanges, useResource } from '../resource';
import { Heading, Link } from '../router';
import { t } from '../texts';
import { FirstSteps } from './first-steps';

/** What no stream tells: messages, credits, health. An idle page reads no more often. */
const REFRESH_MS = 60_000;
/** On a busy project, no more often than this. */
const LIVE_MS = 10_000;
/** Below this share of the plan's logins a warning is shown. */
const LOW_CREDITS = 0.2;

const WORKED = ['confirmed', 'consumed', 'unredeemed'];

/** Deliveries that wait this long for Temporal are worth a word about the lane `auto`. */
const LONG_WAIT_SECONDS = 10;

interface Data {
  project: ProjectView;
  usage: UsageView;
  endpoints: EndpointView[];
  stats: EndpointStats[];
  messages: { sent: number; failed: number };
  hasLogin: boolean;
}

/** What changes by itself; each refresh reads it again. */
async function readFigures() {
  const [usage, endpoints, stats, messages] = await Promise.all([
    api.usage(),
    api.endpoints(),
    api.allStats(),
    api.messageStats(),
  ]);
  return { usage, endpoints: endpoints.data, stats: stats.data, messages };
}

/** What the person changes on other pages; and whether there has ever been a login, as far as the newest ones tell. */
async function readProject() {
  const [project, logins] = await Promise.all([api.project(), api.logins({ cursor: null })]);
  return { project, hasLogin: logins.data.some(({ status }) => WORKED.includes(status)) };
}

export function Overview() {
  const project = useResource(readProject, 'overview-project');
  const figures = useResource(readFigures, 'overview');
  const reloadAll = async () => {
    await Promise.all([figures.reload(), project.reload()]);
  };
  const refresh = () => (project.data?.hasLogin ? figures.reload() : reloadAll());
  useChanges(['deliveries', 'logins'], refresh, { soonest: LIVE_MS, latest: REFRESH_MS });
  return (
    <>
      <Heading title={t.overview} />
      <Problem error={figures.error ?? project.error} />
      {figures.data && project.data && (
        <Content data={{ ...figures.data, ...project.data }} reload={reloadAll} />
      )}
    </>
  );
}

function Content({ data, reload }: { data: Data; reload: () => Promise<void> }) {
  const { usage, messages } = data;
  const p = pageTexts();
  const totals = sum(data.stats);
  const left = Math.max(0, usage.plan_logins - usage.plan_logins_used) + usage.purchased_credits;
  return (
    <>
      <Alerts data={data} reload={reload} />
      <Allowed scope="manage">
        <FirstSteps {...data} reload={reload} />
      </Allowed>
      <div class="tiles">
        <Tile
          title={t.loginsIn(monthAndYear(usage.month))}
          figure={number(usage.logins)}
          note={t.planUsed(number(usage.plan_logins_used), number(usage.plan_logins))}
          to="/dashboard/logins"
        />
        <Tile
          title={t.deliveries24h}
          figure={number(totals.succeeded + totals.failed)}
          note={totals.rate === null ? t.noAttempts : p.succeeded(percent(totals.rate))}
          more={totals.p95 === null ? null : p.slowestEndpoint(number(totals.p95))}
          bad={totals.rate !== null && totals.rate < 0.95}
          to="/dashboard/deliveries"
        >
          <Sparkline bars={totals.bars} label={t.sparklineLabel(totals.succeeded, totals.failed)} wide />
        </Tile>
        <Tile
          title={t.messages24h}
          figure={number(messages.sent)}
          note={messages.failed > 0 ? t.messagesFailed(messages.failed) : t.messagesAllSent}
          bad={messages.failed > 0}
          to={messages.failed > 0 ? '/dashboard/messages?status=failed&hours=24' : '/dashboard/messages'}
        />
        <Tile
          title={t.creditsLeft}
          figure={number(left)}
          note={t.purchasedCredits(usage.purchased_credits)}
          bad={usage.billing_blocked}
          to="/dashboard/logins"
        />
      </div>
      <section class="panel" aria-labelledby="logins-title">
        <h2 id="logins-title">{t.loginsPerDay}</h2>
        <LoginChart days={usage.days} />
      </section>
    </>
  );
}

/** All endpoints together, hour by hour. The latency is that of the slowest endpoint in its slowest hour. */
function sum(stats: Stats[]) {
  const hours = stats[0]?.buckets ?? [];
  const bars = hours.map(({ at }, index) => {
    const same = stats.flatMap(({ buckets }) => buckets[index] ?? []);
    const good = same.reduce((total, bucket) => total + bucket.succeeded, 0);
    const bad = same.reduce((total, bucket) => total + bucket.failed, 0);
    return { title: t.sparklineHour(hourOfDay(at), good, bad), good, bad };
  });
  const succeeded = bars.reduce((total, { good }) => total + good, 0);
  const failed = bars.reduce((total, { bad }) => total + bad, 0);
  const latencies = stats.flatMap(({ buckets }) => buckets.flatMap(({ p95_ms }) => p95_ms ?? []));
  const attempts = succeeded + failed;
  return {
    bars,
    succeeded,
    failed,
    rate: attempts === 0 ? null : succeeded / attempts,
    p95: latencies.length === 0 ? null : Math.max(...latencies),
  };
}

function Tile(props: {
  title: string;
  figure: string;
  note: string;
  /** Beside the note, and no failure. */
  more?: string | null;
  to: string;
  bad?: boolean;
  children?: ComponentChildren;
}) {
  return (
    <section class="panel tile">
      <h2>
        <Link to={props.to}>{props.title}</Link>
      </h2>
      <p class="big figure">{props.figure}</p>
      <p class={props.bad ? 'hint bad' : 'hint'}>{props.note}</p>
      {props.more && <p class="hint">{props.more}</p>}
      {props.children}
    </section>
  );
}

/** What needs the customer's attention, each with the button that fixes it. */
function Alerts({ data, reload }: { data: Data; reload: () => Promise<void> }) {
  const [error, setError] = useState<Error | null>(null);
  const { usage, endpoints } = data;
  const p = pageTexts();
  const enable = (endpoint: EndpointView) => async () => {
    await api.changeEndpoint(endpoint.id, { status: 'active' });
    toast(t.endpointEnabled);
    await reload();
  };
  const left = usage.plan_logins - usage.plan_logins_used + usage.purchased_credits;
  const isLow = left < usage.plan_logins * LOW_CREDITS;
  return (
    <div class="alerts">
      <Problem error={error} />
      {usage.billing_blocked && (
        <Alert tone="bad" text={t.alertBlocked}>
          <a class="btn small" href={`${t.docsStart}/limits`} target="_blank" rel="noopener">
            {t.plansAndCredits}
          </a>
        </Alert>
      )}
      {!usage.billing_blocked && isLow && (
        <Alert
          tone="warn"
          text={
            usage.grace_ends_at
              ? t.alertGrace(dateAndTime(usage.grace_ends_at))
              : t.alertCreditsLow(number(Math.max(0, left)))
          }
        >
          <Link class="btn small" to="/dashboard/settings/usage">
            {t.showUsage}
          </Link>
        </Alert>
      )}
      {endpoints.map((endpoint) => {
        const name = endpoint.description || endpoint.url;
        if (endpoint.status === 'disabled') {
          return (
            <Alert
              key={endpoint.id}
              tone="warn"
              text={p.endpointDisabled(name)}
              detail={endpoint.disabled_reason && disabledReason(endpoint.disabled_reason)}
            >
              <Link class="btn small" to={`/dashboard/webhooks/${endpoint.id}`}>
                {t.show}
              </Link>
              <Allowed scope="manage">
                <ActionButton small act={enable(endpoint)} onError={setError}>
                  {t.enable}
                </ActionButton>
              </Allowed>
            </Alert>
          );
        }
        const seconds = waitingSecondsOf(endpoint, data.stats);
        if (seconds >= LONG_WAIT_SECONDS) {
          return (
            <Alert key={endpoint.id} tone="warn" text={p.endpointWaiting(name, number(seconds))}>
              <a
                class="btn small"
                href={`${t.docsStart}/reference/webhooks#get_v1_webhooks_stats`}
                target="_blank"
                rel="noopener"
              >
                {t.learnMore}
              </a>
            </Alert>
          );
        }
        if (endpoint.health?.state !== 'failing') return null;
        return (
          <Alert
            key={endpoint.id}
            tone="bad"
            text={p.endpointFailing(name, shortDateAndTime(endpoint.health.failing_since ?? ''))}
          >
            <Link class="btn small" to={`/dashboard/webhooks/${endpoint.id}`}>
              {t.showDeliveries}
            </Link>
          </Alert>
        );
      })}
    </div>
  );
}

/** How long its deliveries wait for Temporal; 0 where they do not wait for it. */
function waitingSecondsOf({ id, delivery_lane: lane }: EndpointView, stats: EndpointStats[]): number {
  if (lane === 'express' || lane === 'auto') return 0;
  return stats.find(({ endpoint_id }) => endpoint_id === id)?.waiting_seconds ?? 0;
}

function Alert(props: {
  tone: 'bad' | 'warn';
  text: string;
  detail?: string | null;
  children: ComponentChildren;
}) {
  return (
    <div class={`alert ${props.tone}`} role="status">
      <Icon name="exclamation" />
      <p>
        {props.text}
        {props.detail && <span class="alert-detail">{props.detail}</span>}
      </p>
      <span class="alert-buttons">{props.children}</span>
    </div>
  );
}
