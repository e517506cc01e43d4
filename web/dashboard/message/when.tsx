import { useState } from 'preact/hooks';
import { SelectField, TextField, TimezoneField } from '../elements';
import { limits } from '../../../src/base/contract/limits';
import { instantAt, isTimeZone } from '../../../src/base/contract/zones';
import { human } from '../errors';
import { number, plannedTime } from '../format';
import { locale, t } from '../texts';
import { cronFault, cronOf, emptyRepeat, nextDates, type RepeatDraft } from './repeat';
import { repeatText } from './repeat-text';

export type When = 'now' | 'at' | 'repeat';

/** When a message is sent, as it is chosen. */
export interface WhenDraft extends RepeatDraft {
  when: When;
  /** As the browser's field has it: a local time. */
  at: string;
  zone: 'project' | 'recipient' | 'named';
  /** Of a named zone. */
  timezone: string;
  /** As the browser's fields have them: local times of this browser. */
  startAt: string;
  endAt: string;
  maxRuns: string;
  perMinute: string;
}

export const emptyWhen: WhenDraft = {
  ...emptyRepeat,
  when: 'now',
  at: '',
  zone: 'project',
  timezone: '',
  startAt: '',
  endAt: '',
  maxRuns: '',
  perMinute: '',
};

export const whenFields = [
  'scheduled_at',
  'timezone',
  'cron',
  'start_at',
  'end_at',
  'max_runs',
  'messages_per_minute',
] as const;
export type WhenField = (typeof whenFields)[number];

/** How many of the next dates are shown. */
const DATES = 3;

/** The zone that the times of the draft are in; null for each recipient's own. */
function zoneOf(draft: WhenDraft, projectZone: string): string | null {
  if (draft.zone === 'recipient') return draft.when === 'at' ? null : projectZone;
  return draft.zone === 'named' ? draft.timezone.trim() : projectZone;
}

/** What the API takes as `timezone`; none means the project's. */
export function timezoneOf(draft: WhenDraft): { timezone?: string } {
  if (draft.zone === 'named') return { timezone: draft.timezone.trim() };
  return draft.zone === 'recipient' && draft.when === 'at' ? { timezone: 'recipient' } : {};
}

/** When it is sent, in words. */
export function whenText(draft: WhenDraft, projectZone: string): string {
  if (draft.when === 'now') return t.rightAway;
  const zone = zoneOf(draft, projectZone);
  if (draft.when === 'repeat') return `${repeatText(cronOf(draft))}, ${zoneName(zone ?? projectZone)}`;
  const time = localText(draft.at);
  return zone === null ? t.atRecipientTime(time) : `${time}, ${zoneName(zone)}`;
}

/** `Europe/Moscow` is Moscow. */
export const zoneName = (zone: string) => zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone;

/** A local time as it was typed, in words. */
function localText(at: string): string {
  if (at === '') return '';
  return new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' }).format(
    new Date(`${at.slice(0, 16)}Z`),
  );
}

export function datesOf(draft: WhenDraft, projectZone: string): string[] {
  if (draft.when !== 'repeat') return [];
  const zone = zoneOf(draft, projectZone) ?? projectZone;
  const start = draft.startAt === '' ? 0 : new Date(draft.startAt).getTime() - 1;
  const from = new Date(Math.max(Date.now(), start));
  const runs = draft.maxRuns === '' ? DATES : Math.min(DATES, Number(draft.maxRuns));
  const end = draft.endAt === '' ? Infinity : new Date(draft.endAt).getTime();
  return nextDates(cronOf(draft), zone, from, runs)
    .filter((date) => date.getTime() <= end)
    .map((date) => plannedTime(date, zone));
}

/** What is wrong with the time, as far as the page can tell. */
export function whenProblem(
  draft: WhenDraft,
  projectZone: string,
): { field: WhenField; text: string } | null {
  if (draft.when === 'now') return null;
  const zone = zoneOf(draft, projectZone);
  if (zone !== null && !isTimeZone(zone)) return { field: 'timezone', text: t.unknownZone };
  if (draft.when === 'repeat') {
    const fault = cronFault(cronOf(draft));
    return fault === null ? null : { field: 'cron', text: human(fault) };
  }
  if (zone === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = draft.at.split(/\D/).map(Number);
  const instant = instantAt({ year, month, day, hour, minute, second }, zone);
  return instant.getTime() < Date.now() ? { field: 'scheduled_at', text: t.timeHasPassed } : null;
}

interface WhenProps {
  draft: WhenDraft;
  change: (part: Partial<WhenDraft>) => void;
  problemOf: (field: WhenField) => string | null;
  projectZone: string;
}

/** Now, at a time, or repeatedly: one choice in place of three forms. */
export function WhenEditor(props: WhenProps & { choices: readonly When[]; onePerson: boolean }) {
  const { draft, change, choices } = props;
  return (
    <>
      {choices.length > 1 && (
        <div class="tabs" role="group" aria-label={t.when}>
          {choices.map((when) => (
            <button
              key={when}
              type="button"
              class="btn"
              aria-pressed={draft.when === when}
              onClick={() => change({ when })}
            >
              {t.whens[when]}
            </button>
          ))}
        </div>
      )}
      {props.onePerson && <p class="hint">{t.repeatNeedsAudience}</p>}
      {draft.when === 'now' && !props.onePerson && <Pace {...props} />}
      {draft.when === 'at' && <AtFields {...props} />}
      {draft.when === 'repeat' && <RepeatFields {...props} />}
    </>
  );
}

function Pace({ draft, change, problemOf }: WhenProps) {
  // Only at first: emptying the field must not close what the person is in.
  const [isOpen] = useState(draft.perMinute !== '');
  return (
    <details class="advanced" open={isOpen}>
      <summary>{t.advanced}</summary>
      <TextField
        label={t.perMinute}
        hint={t.perMinuteHint(number(limits.broadcastMessagesPerMinute))}
        error={problemOf('messages_per_minute')}
        class="short"
        type="number"
        min={1}
        max={limits.broadcastMessagesPerMinute}
        value={draft.perMinute}
        onInput={(perMinute) => change({ perMinute })}
      />
    </details>
  );
}

function ZoneFields(props: WhenProps & { canBeRecipients: boolean }) {
  const { draft, change, problemOf, projectZone } = props;
  const zone = draft.zone === 'recipient' && !props.canBeRecipients ? 'project' : draft.zone;
  return (
    <>
      <SelectField
        label={t.whoseClock}
        value={zone}
        error={zone === 'named' ? null : problemOf('timezone')}
        onChange={(next) => change({ zone: next })}
        options={[
          { value: 'project', text: t.projectClock(projectZone) },
          ...(props.canBeRecipients ? [{ value: 'recipient' as const, text: t.recipientZone }] : []),
          { value: 'named', text: t.namedZone },
        ]}
      />
      {zone === 'named' && (
        <TimezoneField
          label={t.timezone}
          error={problemOf('timezone')}
          required
          value={draft.timezone}
          onInput={(timezone) => change({ timezone })}
        />
      )}
    </>
  );
}

/** A time that was stored with seconds, or parts of them, keeps them. */
function stepOf(local: string): string {
  if (local.length > '2030-01-01T10:00:00'.length) return '0.001';
  return local.length > '2030-01-01T10:00'.length ? '1' : '60';
}

function AtFields(props: WhenProps) {
  const { draft, change, problemOf } = props;
  return (
    <div class="two">
      <TextField
        label={t.sendsAt}
        error={problemOf('scheduled_at')}
        type="datetime-local"
        step={stepOf(draft.at)}
        required
        value={draft.at}
        onInput={(at) => change({ at })}
      />
      <div>
        <ZoneFields {...props} canBeRecipients />
      </div>
    </div>
  );
}

function RepeatFields(props: WhenProps) {
  const { draft, change, problemOf, projectZone } = props;
  const zone = zoneOf(draft, projectZone) ?? projectZone;
  const dates = datesOf(draft, projectZone);
  // Only at first, as above.
  const [isOpen] = useState(
    draft.every === 'cron' || draft.startAt !== '' || draft.endAt !== '' || draft.maxRuns !== '',
  );
  const toggle = (day: number) => {
    const { weekdays } = draft;
    const next = weekdays.includes(day) ? weekdays.filter((each) => each !== day) : [...weekdays, day];
    if (next.length > 0) change({ weekdays: next.sort((a, b) => a - b) });
  };
  return (
    <>
      {draft.every !== 'cron' && (
        <div class="two">
          <SelectField
            label={t.every}
            value={draft.every}
            onChange={(every) => change({ every })}
            options={(['day', 'week', 'month'] as const).map((value) => ({ value, text: t.everies[value] }))}
          />
          <TextField
            label={t.timeOfDay}
            type="time"
            required
            value={draft.time}
            onInput={(time) => change({ time })}
          />
        </div>
      )}
      {draft.every === 'week' && (
        <div class="tabs days" role="group" aria-label={t.weekdays}>
          {t.drip.weekdayNames.map((name, index) => (
            <button
              key={name}
              type="button"
              class="btn small"
              aria-pressed={draft.weekdays.includes(index + 1)}
              onClick={() => toggle(index + 1)}
            >
              {name}
            </button>
          ))}
        </div>
      )}
      {draft.every === 'month' && (
        <TextField
          label={t.monthDay}
          hint={draft.monthDay > 28 ? t.monthDayHint : undefined}
          class="short"
          type="number"
          min={1}
          max={31}
          required
          value={String(draft.monthDay)}
          onInput={(day) => change({ monthDay: Number(day) })}
        />
      )}
      <ZoneFields {...props} canBeRecipients={false} />
      {problemOf('cron') && draft.every !== 'cron' && (
        <p class="field-error" role="alert">
          {problemOf('cron')}
        </p>
      )}
      <p class="when-text" role="status">
        <strong>{whenText({ ...draft, when: 'repeat' }, projectZone)}</strong>
        {dates.length > 0 && isTimeZone(zone) && (
          <span class="hint below">{t.nextTimes(dates.join(' · '))}</span>
        )}
      </p>
      <details class="advanced" open={isOpen}>
        <summary>{t.advanced}</summary>
        <label class="choice field">
          <input
            type="checkbox"
            checked={draft.every === 'cron'}
            onChange={(event) =>
              change(event.currentTarget.checked ? { every: 'cron', cron: cronOf(draft) } : { every: 'week' })
            }
          />{' '}
          {t.useCron}
        </label>
        {draft.every === 'cron' && (
          <TextField
            label={t.cron}
            hint={t.cronHint}
            error={problemOf('cron')}
            required
            maxLength={limits.cronLength}
            value={draft.cron}
            onInput={(cron) => change({ cron })}
          />
        )}
        <div class="two">
          <TextField
            label={t.startAt}
            hint={t.browserClock}
            error={problemOf('start_at')}
            type="datetime-local"
            step={stepOf(draft.startAt)}
            value={draft.startAt}
            onInput={(startAt) => change({ startAt })}
          />
          <TextField
            label={t.endAt}
            hint={t.browserClock}
            error={problemOf('end_at')}
            type="datetime-local"
            step={stepOf(draft.endAt)}
            value={draft.endAt}
            onInput={(endAt) => change({ endAt })}
          />
        </div>
        <TextField
          label={t.maxRuns}
          error={problemOf('max_runs')}
          class="short"
          type="number"
          min={1}
          value={draft.maxRuns}
          onInput={(maxRuns) => change({ maxRuns })}
        />
      </details>
    </>
  );
}
