import type { UsageView } from '../api';
import { LOCALE } from '../elements';

const WIDTH = 640;
const HEIGHT = 130;
const FOOT = 20;
const LEFT = 34;
const DAYS_OF_MONTH = 30;

/** Logins per day as bars; the line is the daily rate that uses up the plan in a month. */
export function LoginChart({ days, planLogins }: { days: UsageView['days']; planLogins: number }) {
  const pace = planLogins / DAYS_OF_MONTH;
  const most = Math.max(...days.map(({ logins }) => logins), pace, 1) * 1.1;
  const height = (logins: number) => (logins / most) * (HEIGHT - FOOT);
  const step = (WIDTH - LEFT) / days.length;
  const total = days.reduce((sum, { logins }) => sum + logins, 0);
  const paceY = HEIGHT - FOOT - height(pace);
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`Logins in the last ${days.length} days: ${total} in total, at most ${Math.max(...days.map(({ logins }) => logins))} per day`}
      >
        {days.map(({ date, logins }, index) => (
          <g key={date}>
            <rect
              class="bar"
              x={LEFT + index * step + 1.5}
              width={step - 3}
              y={HEIGHT - FOOT - height(logins)}
              height={height(logins)}
              rx="2"
            >
              <title>{`${date}: ${logins}`}</title>
            </rect>
            {(index % 7 === 1 || index === days.length - 1) && (
              <text
                class="label"
                x={index === days.length - 1 ? WIDTH : LEFT + (index + 0.5) * step}
                y={HEIGHT - 5}
                text-anchor={index === days.length - 1 ? 'end' : 'middle'}
              >
                {dayAndMonth(date)}
              </text>
            )}
          </g>
        ))}
        <line class="axis" x1={LEFT} x2={WIDTH} y1={HEIGHT - FOOT} y2={HEIGHT - FOOT} />
        <line class="pace" x1={LEFT} x2={WIDTH} y1={paceY} y2={paceY} />
        <text class="label" x={LEFT - 5} y={paceY + 4} text-anchor="end">
          {Math.round(pace * 10) / 10}
        </text>
      </svg>
      <figcaption class="hint">
        Logins per day in the last {days.length} days (UTC). The dashed line is the daily rate that uses up
        the plan’s {planLogins} logins in a month.
      </figcaption>
    </figure>
  );
}

function dayAndMonth(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(LOCALE, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
}
