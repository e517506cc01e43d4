import { t } from '../texts';
import { TextField } from './fields';

const MINUTES = { days: 1440, hours: 60, minutes: 1 } as const;
type Unit = keyof typeof MINUTES;

/** A time in whole minutes as days, hours and minutes. */
export function durationParts(minutes: number): Record<Unit, number> {
  return {
    days: Math.floor(minutes / MINUTES.days),
    hours: Math.floor((minutes % MINUTES.days) / MINUTES.hours),
    minutes: minutes % MINUTES.hours,
  };
}

/** Asks for a time; the API takes it in minutes. */
export function DurationFields(props: {
  legend: string;
  hint?: string | undefined;
  error?: string | null | undefined;
  minutes: number;
  onChange: (minutes: number) => void;
}) {
  const parts = durationParts(props.minutes);
  return (
    <fieldset class="duration">
      <legend>{props.legend}</legend>
      {(['days', 'hours', 'minutes'] as const).map((unit) => (
        <TextField
          key={unit}
          label={t.drip.units[unit]}
          error={unit === 'days' ? props.error : null}
          type="number"
          min={0}
          value={String(parts[unit])}
          onInput={(typed) => {
            const changed = { ...parts, [unit]: Math.max(0, Math.floor(Number(typed)) || 0) };
            props.onChange(changed.days * MINUTES.days + changed.hours * MINUTES.hours + changed.minutes);
          }}
        />
      ))}
      {props.hint && <p class="hint">{props.hint}</p>}
    </fieldset>
  );
}
