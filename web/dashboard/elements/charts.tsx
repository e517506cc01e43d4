import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { UsageView } from '../api';
import { dayAndMonth, number } from '../format';
import { t } from '../texts';

export interface Bar {
  title: string;
  good: number;
  bad: number;
}

const WIDTH = 120;
const HEIGHT = 28;

/** Small bars, one for each hour: successes below, failures in red on top. */
export function Sparkline({ bars, label, wide }: { bars: Bar[]; label: string; wide?: boolean }) {
  const most = Math.max(1, ...bars.map(({ good, bad }) => good + bad));
  const step = WIDTH / Math.max(1, bars.length);
  const scale = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / most) * (HEIGHT - 2)));
  return (
    <svg
      class={wide ? 'sparkline wide' : 'sparkline'}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {bars.map(({ title, good, bad }, index) => (
        <g key={title}>
          <title>{title}</title>
          <rect class="hit" x={index * step} y="0" width={step} height={HEIGHT} />
          <rect class="base" x={index * step + 0.5} y={HEIGHT - 1} width={step - 1} height="1" />
          <rect
            class="good"
            x={index * step + 0.5}
            y={HEIGHT - scale(good)}
            width={step - 1}
            height={scale(good)}
          />
          <rect
            class="bad"
            x={index * step + 0.5}
            y={HEIGHT - scale(good) - scale(bad)}
            width={step - 1}
            height={scale(bad)}
          />
        </g>
      ))}
    </svg>
  );
}

/** Before the chart has been measured. */
const CHART_WIDTH = 720;
/** Below this, labels would run into each other. */
const NARROW_WIDTH = 480;
const CHART_HEIGHT = 150;
const FOOT = 20;
const LEFT = 36;
const GRID_LINES = 4;

/** Logins per day as bars over a scale of whole numbers. */
export function LoginChart({ days }: { days: UsageView['days'] }) {
  const figure = useRef<HTMLElement>(null);
  const chartWidth = useWidth(figure);
  const isNarrow = chartWidth < NARROW_WIDTH;
  const labelEvery = isNarrow ? 14 : 7;
  const most = Math.max(1, ...days.map(({ logins }) => logins));
  const unit = niceUnit(most / GRID_LINES);
  const top = Math.ceil(most / unit) * unit;
  const height = (logins: number) => (logins / top) * (CHART_HEIGHT - FOOT - 8);
  const step = (chartWidth - LEFT) / days.length;
  const gap = isNarrow ? 1 : 2;
  const total = days.reduce((sum, { logins }) => sum + logins, 0);
  const lines = Array.from({ length: Math.round(top / unit) + 1 }, (_, index) => index * unit);
  return (
    <figure ref={figure} class="chart">
      <svg
        height={CHART_HEIGHT}
        viewBox={`0 0 ${chartWidth} ${CHART_HEIGHT}`}
        role="img"
        aria-label={t.loginChart(days.length, total, most)}
      >
        {lines.map((value) => (
          <g key={value}>
            <line
              class="axis"
              x1={LEFT}
              x2={chartWidth}
              y1={CHART_HEIGHT - FOOT - height(value)}
              y2={CHART_HEIGHT - FOOT - height(value)}
            />
            <text class="label" x={LEFT - 8} y={CHART_HEIGHT - FOOT - height(value) + 3.5} text-anchor="end">
              {number(value)}
            </text>
          </g>
        ))}
        {days.map(({ date, logins }, index) => (
          <g key={date}>
            <rect
              class="bar"
              x={LEFT + index * step + gap}
              width={step - 2 * gap}
              y={CHART_HEIGHT - FOOT - height(logins)}
              height={height(logins)}
              rx="1.5"
            >
              <title>{`${dayAndMonth(date)}: ${number(logins)}`}</title>
            </rect>
            {(index % labelEvery === 1 || index === days.length - 1) && (
              <text
                class="label"
                x={index === days.length - 1 ? chartWidth : LEFT + (index + 0.5) * step}
                y={CHART_HEIGHT - 5}
                text-anchor={index === days.length - 1 ? 'end' : 'middle'}
              >
                {dayAndMonth(date)}
              </text>
            )}
          </g>
        ))}
      </svg>
      <figcaption class="hint">{t.loginChartCaption(days.length)}</figcaption>
    </figure>
  );
}

/** The width of an element in pixels: a chart drawn in its own pixels keeps the size of its labels. */
function useWidth(ref: RefObject<HTMLElement>): number {
  const [width, setWidth] = useState(CHART_WIDTH);
  useEffect(() => {
    if (!ref.current) return;
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.round(entry?.contentRect.width || CHART_WIDTH)),
    );
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** The next of 1, 2, 5, 10, 20, 50 …, so that the scale has whole numbers. */
function niceUnit(atLeast: number): number {
  for (let power = 1; ; power *= 10) {
    for (const factor of [1, 2, 5]) if (factor * power >= atLeast) return factor * power;
  }
}
