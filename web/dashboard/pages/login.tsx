import type { IconName } from '../../shared/icons';
import { api, type SessionRecord } from '../api';
import { Badge, ChannelName, Copyable, Crumbs, Icon, None, Problem, Time } from '../elements';
import { useResource } from '../resource';
import { Heading } from '../router';
import { loginState } from '../states';
import { t } from '../texts';
import { Device, Who } from './logins';

/** One login: who, from where, and how far it came. */
export function LoginPage({ id }: { id: string }) {
  const found = useResource(() => api.login(id), id, 'logins');
  return (
    <>
      <Crumbs trail={[{ to: '/dashboard/logins', text: t.logins }]} />
      {found.error && !found.data && <Heading title={t.results.login} />}
      <Problem error={found.error} />
      {found.data && <Details session={found.data} />}
    </>
  );
}

function Details({ session }: { session: SessionRecord }) {
  const state = loginState(session);
  return (
    <>
      <div class="heading">
        <Heading title={session.flow === 'push' ? t.flows.push : t.results.login} />
        <Badge tone={state.tone}>{state.text}</Badge>
      </div>
      <section class="panel" aria-label={t.details}>
        <dl class="facts">
          <dt>{t.who}</dt>
          <dd>
            <Who session={session} />
          </dd>
          <dt>{t.channel}</dt>
          <dd>
            <ChannelName channel={session.channel} />
          </dd>
          <dt>{t.flow}</dt>
          <dd>
            {t.flows[session.flow]}
            {session.client_name !== null && ` · ${session.client_name}`}
          </dd>
          {session.message && (
            <>
              <dt>{t.results.message}</dt>
              <dd>{session.message}</dd>
            </>
          )}
          <dt>{t.device}</dt>
          <dd>
            <Device session={session} />
          </dd>
          <dt>{t.stateValue}</dt>
          <dd>{session.state ?? <None />}</dd>
          <dt>{t.results.expiresAt}</dt>
          <dd>
            <Time at={session.expires_at} />
          </dd>
          <dt>{t.results.sessionId}</dt>
          <dd>
            <Copyable text={session.session_id} label={t.copyId} />
          </dd>
        </dl>
      </section>
      <section aria-labelledby="steps-title">
        <h2 id="steps-title">{t.timeline}</h2>
        <ol class="timeline">
          {stepsOf(session).map(({ text, at, icon, tone }) => (
            <li key={text} class={tone}>
              <Icon name={icon} small />
              <div>
                <p class="timeline-line">
                  {text}{' '}
                  {at !== null && (
                    <span class="hint">
                      <Time at={at} />
                    </span>
                  )}
                </p>
              </div>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}

interface Step {
  text: string;
  at: string | null;
  icon: IconName;
  tone: 'succeeded' | 'failed' | 'running' | '';
}

/** In the order in which they happened. */
function stepsOf(session: SessionRecord): Step[] {
  const words = t.results.loginSteps;
  const steps: Step[] = [{ text: words.created, at: session.created_at, icon: 'login', tone: '' }];
  const { status, confirmed, decided_at: decided, redeemed_at: redeemed } = session;
  const add = (text: string, at: string | null, icon: IconName, tone: Step['tone']) =>
    steps.push({ text, at, icon, tone });
  if (confirmed) add(words.confirmed, decided, 'checkCircle', 'succeeded');
  else if (session.reason === 'billing_blocked') add(words.noCredits, decided, 'exclamation', 'failed');
  else if (status === 'declined') add(words.declined, decided, 'xMark', 'failed');
  else if (status === 'expired') add(words.expired, session.expires_at, 'xMark', 'failed');
  else add(words.waiting, null, 'minusCircle', 'running');
  if (redeemed !== null) add(words.redeemed, redeemed, 'checkCircle', 'succeeded');
  else if (status === 'unredeemed') add(words.unredeemed, null, 'xMark', 'failed');
  return steps;
}
