import { useState } from 'preact/hooks';
import { api, type LoginStats } from '../api';
import { Cell, ChannelName, Problem, Select, Table } from '../elements';
import { duration, number, percent } from '../format';
import { useResource } from '../resource';
import { t } from '../texts';

const SPANS = [7, 30, 90];

/** How many logins come from one step to the next, in all and by messenger, and how long users take. */
export function LoginFunnel() {
  const [days, setDays] = useState(30);
  const found = useResource(() => api.loginStats(days), String(days), 'logins');
  return (
    <section class="panel" aria-labelledby="funnel-title">
      <div class="heading">
        <h2 id="funnel-title">{t.results.funnel}</h2>
        <span class="actions filters">
          <Select
            label={t.results.funnelSpan}
            value={String(days)}
            onChange={(value) => setDays(Number(value))}
            options={SPANS.map((span) => ({ value: String(span), text: t.results.funnelDays(span) }))}
          />
        </span>
      </div>
      <Problem error={found.error} />
      {found.data && <Funnel stats={found.data} />}
    </section>
  );
}

const stepName = (step: 'confirmed' | 'declined' | 'expired' | 'redeemed') =>
  step === 'redeemed' ? t.results.funnelSteps.redeemed : t.results[step];

function Funnel({ stats }: { stats: LoginStats }) {
  const total = (step: Exclude<keyof LoginStats['days'][number], 'date'>) =>
    stats.days.reduce((sum, day) => sum + day[step], 0);
  const created = total('created');
  if (created === 0) return <p class="hint">{t.results.funnelEmpty}</p>;
  const steps = {
    created,
    opened: total('opened'),
    answered: total('confirmed') + total('declined'),
    redeemed: total('redeemed'),
  };
  const channels = Object.entries(stats.by_channel).filter(([, counts]) => counts.opened > 0);
  const { median_seconds_to_confirm: median } = stats;
  return (
    <>
      <ol class="bars funnel">
        {Object.entries(steps).map(([step, count]) => (
          <li key={step}>
            <label class="meter">
              <span>
                {t.results.funnelSteps[step as keyof typeof steps]} <b class="figure">{number(count)}</b>
                {step !== 'created' && (
                  <span class="hint"> · {t.results.funnelOf(percent(Math.min(1, count / created)))}</span>
                )}
              </span>
              <progress max={Math.max(1, created)} value={count} />
            </label>
          </li>
        ))}
      </ol>
      {median !== null && <p>{t.results.median(duration(Math.max(1, Math.round(median))))}</p>}
      {channels.length > 0 && <p class="hint">{t.results.byMessengerHint}</p>}
      {channels.length > 0 && (
        <Table
          label={t.results.byMessenger}
          columns={[
            t.channel,
            t.results.funnelSteps.opened,
            ...(['confirmed', 'declined', 'expired', 'redeemed'] as const).map(stepName),
          ]}
        >
          {channels.map(([channel, counts]) => (
            <tr key={channel}>
              <Cell label={t.channel}>
                <ChannelName channel={channel} />
              </Cell>
              <Cell label={t.results.funnelSteps.opened}>{number(counts.opened)}</Cell>
              {(['confirmed', 'declined', 'expired', 'redeemed'] as const).map((step) => (
                <Cell key={step} label={stepName(step)}>
                  {number(counts[step])}
                  <span class="hint late"> · {percent(Math.min(1, counts[step] / counts.opened))}</span>
                </Cell>
              ))}
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
