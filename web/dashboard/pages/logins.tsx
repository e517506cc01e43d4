import { readUserAgent } from '../../../src/base/contract/device';
import { api, query, type SessionRecord, type UsageView } from '../api';
import {
  Badge,
  Cell,
  ChannelName,
  ClearFilters,
  Clip,
  DownloadButton,
  Empty,
  LoginChart,
  NoMatch,
  None,
  Pager,
  Problem,
  Select,
  StatusSelect,
  Table,
  Time,
} from '../elements';
import { capitalised, dateAndTime, monthAndYear, number } from '../format';
import { messengerOptions } from '../messengers';
import { useResource } from '../resource';
import { Heading, Link, useFilters, usePages } from '../router';
import { loginState } from '../states';
import { t } from '../texts';
import { LoginFunnel } from './login-funnel';

const FILTERS = ['status', 'channel'] as const;

export function Logins() {
  const usage = useResource(api.usage, 'usage', 'logins');
  const { values } = useFilters(FILTERS);
  return (
    <>
      <div class="heading">
        <Heading title={t.logins} />
        <span class="actions">
          <DownloadButton
            path={`/v1/export/logins${query(values)}`}
            filename="logins.csv"
            text={t.exportCsv}
          />
        </span>
      </div>
      <Problem error={usage.error} />
      {usage.data && <Usage usage={usage.data} />}
      <LoginFunnel />
      <SessionLog />
    </>
  );
}

function Usage({ usage }: { usage: UsageView }) {
  return (
    <section class="panel" aria-labelledby="usage-title">
      <h2 id="usage-title">{t.loginsInMonth(usage.logins, monthAndYear(usage.month))}</h2>
      {usage.billing_blocked && <p class="problem">{t.alertBlocked}</p>}
      <label class="meter">
        <span>
          {t.planMeter(number(usage.plan_logins_used), number(usage.plan_logins), capitalised(usage.plan))}
        </span>
        <progress max={usage.plan_logins} value={usage.plan_logins_used} />
      </label>
      <p class="hint">
        {t.purchasedCredits(usage.purchased_credits)}.{' '}
        {usage.grace_ends_at && t.graceEnds(dateAndTime(usage.grace_ends_at))}
      </p>
      <LoginChart days={usage.days} />
    </section>
  );
}

function SessionLog() {
  const filters = useFilters(FILTERS);
  const { status, channel } = filters.values;
  const pages = usePages();
  const log = useResource(
    () => api.logins({ status, channel, cursor: pages.cursor }),
    JSON.stringify([filters.values, pages.cursor]),
    pages.isFirst ? 'logins' : undefined,
  );
  const list = log.data?.data;
  return (
    <section aria-labelledby="sessions-title">
      <h2 id="sessions-title">{t.sessions}</h2>
      <div class="filters">
        <StatusSelect
          states={t.loginStates}
          value={status}
          onChange={(value) => filters.set('status', value)}
        />
        <Select
          label={t.channel}
          value={channel}
          onChange={(value) => filters.set('channel', value)}
          options={[{ value: '', text: t.any }, ...messengerOptions()]}
        />
        <ClearFilters filters={filters} />
      </div>
      <Problem error={log.error} />
      {list?.length === 0 &&
        (filters.isFiltered ? (
          <NoMatch icon="login" title={t.noLoginsMatch} filters={filters} />
        ) : (
          <Empty icon="login" title={t.noLogins} text={t.noLoginsText}>
            <p class="buttons">
              <a class="btn" href={t.loginGuidePath} target="_blank" rel="noopener">
                {t.loginGuide}
              </a>
            </p>
          </Empty>
        ))}
      {list && list.length > 0 && (
        <Table
          label={t.sessions}
          columns={[
            t.who,
            t.status,
            t.channel,
            t.flow,
            t.stateValue,
            { title: t.device, givesWay: 'soon' },
            t.started,
          ]}
        >
          {list.map((session) => (
            <Row key={session.session_id} session={session} />
          ))}
        </Table>
      )}
      <Pager pages={pages} next={log.data?.next_cursor ?? null} />
    </section>
  );
}

function Row({ session }: { session: SessionRecord }) {
  const state = loginState(session);
  return (
    <tr>
      <Cell label={t.who} lead>
        <Who session={session} />
      </Cell>
      <Cell label={t.status}>
        <Badge tone={state.tone}>{state.text}</Badge>
      </Cell>
      <Cell label={t.channel}>
        <ChannelName channel={session.channel} />
      </Cell>
      <Cell label={t.flow}>
        {session.client_name === null ? t.flows[session.flow] : <Clip>{session.client_name}</Clip>}{' '}
        {session.message && <Clip>{session.message}</Clip>}
      </Cell>
      <Cell label={t.stateValue}>{session.state ? <Clip>{session.state}</Clip> : <None />}</Cell>
      <Cell label={t.device} givesWay="soon">
        <Device session={session} clipped />
      </Cell>
      <Cell label={t.started}>
        <Link to={`/dashboard/logins/${session.session_id}`} title={t.results.openLogin}>
          <Time at={session.created_at} />
        </Link>
      </Cell>
    </tr>
  );
}

export function Who({ session }: { session: SessionRecord }) {
  if (session.subscriber_id === null) return <span class="hint">{t.unknownUser}</span>;
  return (
    <>
      <Link to={`/dashboard/subscribers/${session.subscriber_id}`} class="clip">
        <bdi>{session.first_name ?? t.removedSubscriber}</bdi>
      </Link>{' '}
      {session.username && <span class="hint clip">@{session.username}</span>}
    </>
  );
}

/** Browser, system and address, as far as the project gave them. */
export function Device(props: {
  session: Pick<SessionRecord, 'user_agent' | 'client_ip'>;
  clipped?: boolean;
}) {
  const { session } = props;
  const { browser = null, system = null } = readUserAgent(session.user_agent ?? '') ?? {};
  const name = browser && system ? t.deviceOn(browser, system) : (browser ?? system);
  const parts = [name, session.client_ip].filter((part) => part !== null);
  if (parts.length === 0) return <None />;
  return (
    <span
      {...(props.clipped && { class: 'clip' })}
      title={[parts.join(' · '), session.user_agent].filter(Boolean).join('\n')}
    >
      {parts.join(' · ')}
    </span>
  );
}
