import { useState } from 'preact/hooks';
import { limits } from '../../../src/base/contract/limits';
import { Crumbs, FormButtons, Loaded, TextField, toast, useForm } from '../elements';
import { helpdesk, type HelpdeskSettings } from '../helpdesk-api';
import { useResource } from '../resource';
import { Heading, Link } from '../router';
import { t } from '../texts';
import './styles';
import { SupportLinks } from './support-links';
import { words } from './texts';
import { TicketTypes } from './ticket-types';

export function InboxSettings() {
  const w = words();
  const settings = useResource(helpdesk.settings, 'settings');
  return (
    <div class="inbox-settings">
      <Crumbs trail={[{ to: '/dashboard/inbox', text: t.inbox }]} />
      <Heading title={w.settings} />
      <Loaded resource={settings}>{(stored) => <SettingsForm stored={stored} />}</Loaded>
      <section class="panel settings" aria-labelledby="support-links-title">
        <h2 id="support-links-title">{w.links}</h2>
        <p class="hint">{w.linksLead}</p>
        <SupportLinks codes />
      </section>
      <TicketTypes />
      <section class="panel settings" aria-labelledby="support-texts-title">
        <h2 id="support-texts-title">{w.textsTitle}</h2>
        <p class="hint">{w.textsLead}</p>
        <p class="buttons">
          <Link to="/dashboard/templates" class="btn">
            {w.cannedLink}
          </Link>
          <Link to="/dashboard/settings" class="btn">
            {w.botTextsLink}
          </Link>
        </p>
      </section>
    </div>
  );
}

const TIMES = ['first_reply_hours', 'resolve_hours', 'reopen_days', 'auto_close_days'] as const;
type TimeName = (typeof TIMES)[number];

function SettingsForm({ stored }: { stored: HelpdeskSettings }) {
  const w = words();
  const [enabled, setEnabled] = useState(stored.enabled);
  const [csat, setCsat] = useState(stored.csat);
  const [times, setTimes] = useState<Record<TimeName, string>>(() => typed(stored));
  const form = useForm(TIMES, async () => {
    const given = (name: TimeName) => (times[name].trim() === '' ? null : Number(times[name]));
    await helpdesk.changeSettings({
      enabled,
      csat,
      first_reply_hours: given('first_reply_hours'),
      resolve_hours: given('resolve_hours'),
      reopen_days: given('reopen_days'),
      auto_close_days: given('auto_close_days'),
    });
    toast(t.saved);
  });
  const time = (name: TimeName, label: string, hint: string, most: number) => (
    <TextField
      label={label}
      hint={hint}
      error={form.problemOf(name)}
      type="number"
      inputMode="numeric"
      min={1}
      max={most}
      step={1}
      value={times[name]}
      onInput={(value) => setTimes({ ...times, [name]: value })}
    />
  );
  const choice = (label: string, hint: string, checked: boolean, set: (on: boolean) => void) => (
    <div class="field">
      <label class="choice">
        <input type="checkbox" checked={checked} onChange={(event) => set(event.currentTarget.checked)} />{' '}
        {label}
      </label>
      <p class="hint">{hint}</p>
    </div>
  );
  return (
    <form class="panel settings" {...form.attributes}>
      {choice(w.enabled, w.enabledHint, enabled, setEnabled)}
      <h2>{w.times}</h2>
      <div class="two">
        {time('first_reply_hours', w.firstReplyHours, w.firstReplyHint, limits.ticketHours)}
        {time('resolve_hours', w.resolveHours, w.resolveHint, limits.ticketHours)}
        {time('reopen_days', w.reopenDays, w.reopenHint, limits.ticketDays)}
        {time('auto_close_days', w.autoCloseDays, w.autoCloseHint, limits.ticketDays)}
      </div>
      {choice(w.csat, w.csatHint, csat, setCsat)}
      <FormButtons form={form} submit={t.save} />
    </form>
  );
}

function typed(stored: HelpdeskSettings): Record<TimeName, string> {
  const text = (name: TimeName) => stored[name]?.toString() ?? '';
  return {
    first_reply_hours: text('first_reply_hours'),
    resolve_hours: text('resolve_hours'),
    reopen_days: text('reopen_days'),
    auto_close_days: text('auto_close_days'),
  };
}
