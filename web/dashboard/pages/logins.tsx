import { useState } from 'preact/hooks';
import { sessionOutcome } from '../../../src/login/session-outcome';
import { api, type SessionRecord, type UsageView } from '../api';
import { Badge, Empty, LOCALE, Pager, Problem, Select, Time, usePages } from '../elements';
import { useResource } from '../resource';
import { LoginChart } from './login-chart';

const REFRESH_MS = 4_000;
const USAGE_MS = 15_000;

export function Logins() {
  const usage = useResource(api.usage, 'usage', USAGE_MS);
  return (
    <>
      <h1>Logins</h1>
      <Problem error={usage.error} />
      {usage.data && <Usage usage={usage.data} />}
      <SessionLog />
    </>
  );
}

function Usage({ usage }: { usage: UsageView }) {
  return (
    <section class="panel" aria-labelledby="usage-title">
      <h2 id="usage-title">
        {usage.logins} {usage.logins === 1 ? 'login' : 'logins'} in {monthName(usage.month)}
      </h2>
      {usage.billing_blocked && (
        <p class="warning">
          Out of credits. Logins and messages are rejected until next month, unless you upgrade the plan or
          buy a credit pack.
        </p>
      )}
      <label class="meter">
        <span>
          {usage.plan_logins_used} of {usage.plan_logins} logins of the {usage.plan} plan used
        </span>
        <progress max={usage.plan_logins} value={usage.plan_logins_used} />
      </label>
      <p class="hint">
        {usage.purchased_credits.toLocaleString(LOCALE)} purchased credits left.
        {usage.grace_ends_at && (
          <>
            {' '}
            The grace period ends <Time at={usage.grace_ends_at} />.
          </>
        )}
      </p>
      <LoginChart days={usage.days} planLogins={usage.plan_logins} />
    </section>
  );
}

function monthName(month: string): string {
  return new Date(`${month}-01T00:00:00Z`).toLocaleString(LOCALE, {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

function SessionLog() {
  const [status, setStatus] = useState('');
  const [channel, setChannel] = useState('');
  const pages = usePages();
  const filter = { status, channel, cursor: pages.cursor };
  const log = useResource(
    () => api.logins(filter),
    JSON.stringify(filter),
    pages.isFirst ? REFRESH_MS : undefined,
  );
  const options = (values: string[]) => [
    { value: '', text: 'Any' },
    ...values.map((value) => ({ value, text: value })),
  ];
  const list = log.data?.data;
  return (
    <section aria-labelledby="sessions-title">
      <h2 id="sessions-title">Sessions</h2>
      <div class="filters">
        <Select
          label="Status"
          value={status}
          onChange={pages.choose(setStatus)}
          options={options(['pending', 'confirmed', 'consumed', 'declined', 'expired'])}
        />
        <Select
          label="Channel"
          value={channel}
          onChange={pages.choose(setChannel)}
          options={options(['telegram', 'max'])}
        />
      </div>
      <Problem error={log.error} />
      {list?.length === 0 && (
        <Empty>{status || channel ? 'No logins match these filters.' : 'No logins yet.'}</Empty>
      )}
      {list && list.length > 0 && (
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Started</th>
              <th scope="col">Flow</th>
              <th scope="col">Status</th>
              <th scope="col">Channel</th>
              <th scope="col">Answered</th>
              <th scope="col">Session</th>
            </tr>
          </thead>
          <tbody>
            {list.map((session) => (
              <Row key={session.session_id} session={session} />
            ))}
          </tbody>
        </table>
      )}
      <Pager pages={pages} next={log.data?.next_cursor ?? null} />
    </section>
  );
}

function Row({ session }: { session: SessionRecord }) {
  return (
    <tr>
      <td data-label="Started">
        <Time at={session.created_at} />
      </td>
      <td data-label="Flow">{session.flow === 'static' ? 'static link' : 'session'}</td>
      <td data-label="Status">
        <Badge kind={session.status}>{sessionOutcome(session)}</Badge>
        {session.reason === 'billing_blocked' && <span class="hint"> out of credits</span>}
      </td>
      <td data-label="Channel">{session.channel ?? '–'}</td>
      <td data-label="Answered">
        <Time at={session.decided_at} />
      </td>
      <td data-label="Session">
        <code title={session.session_id}>{session.session_id.slice(0, 8)}</code>
      </td>
    </tr>
  );
}
