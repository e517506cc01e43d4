import type { JobStats } from '../api';
import { Cell, Table } from '../elements';
import { number, percent } from '../format';
import { t } from '../texts';
import { reasonText } from './send-reason';

/** What became of a broadcast or a batch: results, reasons, taps on buttons and unsubscribes. */
export function JobFigures({ stats }: { stats: JobStats }) {
  const clicks = stats.buttons.reduce((sum, button) => sum + button.clicks, 0);
  const share = (count: number) => (stats.total === 0 ? '–' : percent(count / stats.total));
  return (
    <>
      <div class="tiles figures">
        {(['sent', 'failed', 'skipped', 'queued'] as const).map((state) => (
          <Figure
            key={state}
            title={t.results.states[state]}
            figure={number(stats[state])}
            note={share(stats[state])}
            bad={state === 'failed' && stats.failed > 0}
          />
        ))}
        <Figure
          title={t.results.taps}
          figure={number(clicks)}
          note={clicks === 0 ? t.results.noTaps : null}
        />
        <Figure
          title={t.results.unsubscribed}
          figure={number(stats.unsubscribed)}
          note={t.results.unsubscribedHint}
        />
      </div>
      {stats.reasons.length > 0 && <Reasons stats={stats} />}
      {stats.buttons.length > 0 && (
        <section aria-labelledby="buttons-title">
          <h2 id="buttons-title">{t.results.buttons}</h2>
          <Table label={t.results.buttons} columns={[t.results.button, t.results.taps, t.results.people]}>
            {stats.buttons.map((button) => (
              <tr key={button.text}>
                <Cell label={t.results.button} lead>
                  <span class="clip wide" title={button.text}>
                    {button.text}
                  </span>
                </Cell>
                <Cell label={t.results.taps}>{number(button.clicks)}</Cell>
                <Cell label={t.results.people}>{number(button.people)}</Cell>
              </tr>
            ))}
          </Table>
        </section>
      )}
    </>
  );
}

function Figure(props: { title: string; figure: string; note: string | null; bad?: boolean }) {
  return (
    <section class="panel tile">
      <h2>{props.title}</h2>
      <p class="big figure">{props.figure}</p>
      {props.note !== null && <p class={props.bad ? 'hint bad' : 'hint'}>{props.note}</p>}
    </section>
  );
}

function Reasons({ stats }: { stats: JobStats }) {
  const most = Math.max(1, ...stats.reasons.map(({ count }) => count));
  return (
    <section class="panel" aria-labelledby="reasons-title">
      <h2 id="reasons-title">{t.results.why}</h2>
      <ul class="bars">
        {stats.reasons.map(({ reason, count }) => (
          <li key={reason}>
            <label class="meter">
              <span>
                {reasonText(reason)} <b class="figure">{number(count)}</b>
              </span>
              <progress max={most} value={count} />
            </label>
          </li>
        ))}
      </ul>
    </section>
  );
}
