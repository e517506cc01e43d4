import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { icons, type IconName } from '../../shared/icons';
import { ApiError } from '../api';
import { errorText } from '../errors';
import { ago, dateAndTime, plannedTime, shortDateAndTime } from '../format';
import { findMessenger, messengerName } from '../messengers';
import { reloadAll, useNow, type Resource } from '../resource';
import { Link } from '../router';
import { t } from '../texts';

/** Decoration only: what it means is also said in words. */
export function Icon({ name, small }: { name: IconName; small?: boolean }) {
  return <Picture svg={icons[name]} small={small === true} />;
}

export function MessengerIcon({ channel }: { channel: string }) {
  return <Picture svg={findMessenger(channel)?.icon ?? ''} small />;
}

function Picture({ svg, small }: { svg: string; small: boolean }) {
  return (
    <span
      class={small ? 'icon small' : 'icon'}
      aria-hidden="true"
      dangerouslySetInnerHTML={{ __html: svg }}
    />
  );
}

export type Tone = 'good' | 'bad' | 'busy' | 'warn' | 'neutral';

export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <span class={`badge ${tone}`}>
      <span class="dot" aria-hidden="true" />
      {children}
    </span>
  );
}

/** A label without a state. */
export function Chip({ children, title }: { children: ComponentChildren; title?: string }) {
  return (
    <span class="chip" {...(title ? { title } : {})}>
      {children}
    </span>
  );
}

export function ChannelName({ channel }: { channel: string | null }) {
  if (channel === null) return <None />;
  return (
    <span class="channel">
      <MessengerIcon channel={channel} /> {messengerName(channel)}
    </span>
  );
}

export function None() {
  return <span class="none">–</span>;
}

/** `retry` reads again. By default only what could not be reached can be read again, with everything on the page. */
export function Problem({ error, retry }: { error: Error | null; retry?: () => void }) {
  // A session that has ended covers the page with the sign-in, which says so.
  if (!error || (error instanceof ApiError && error.code === 'unauthorized')) return null;
  const isUnreached = error instanceof ApiError && error.code === 'offline' && error.isRead;
  const again = retry ?? (isUnreached ? reloadAll : null);
  const docs = error instanceof ApiError ? error.docsUrl : null;
  return (
    <p class="problem" role="alert">
      <Icon name="exclamation" small />
      <span>
        {errorText(error)}{' '}
        {docs && (
          <a href={new URL(docs).pathname + new URL(docs).hash} target="_blank" rel="noopener">
            {t.learnMore}
          </a>
        )}
      </span>
      {again && (
        <button type="button" class="btn small" onClick={again}>
          {t.tryAgain}
        </button>
      )}
    </p>
  );
}

/** Shows its children once the resource is loaded; until then a loading line or the error. */
export function Loaded<T>(props: { resource: Resource<T>; children: (data: T) => ComponentChildren }) {
  const { data, error } = props.resource;
  if (data !== null) return <>{props.children(data)}</>;
  return error ? <Problem error={error} /> : <p class="asking">{t.loading}</p>;
}

/** A readable time; the full timestamp is in the title and in `datetime`. */
export function Time({ at }: { at: string | null }) {
  if (at === null) return <None />;
  return (
    <time class="figure" dateTime={at} title={at}>
      {shortDateAndTime(at)}
    </time>
  );
}

/** A time to come. */
export function PlannedTime({ at }: { at: string }) {
  return (
    <time class="figure" dateTime={at} title={at}>
      {plannedTime(new Date(at))}
    </time>
  );
}

export function Ago({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return <None />;
  return (
    <time class="figure" dateTime={at} title={dateAndTime(at)}>
      {ago(at, now)}
    </time>
  );
}

/** Text of any length in one line; the whole of it is in the title. */
export function Clip({ children, wide }: { children: string; wide?: boolean }) {
  return (
    <span class={wide ? 'clip wide' : 'clip'} title={children}>
      {children}
    </span>
  );
}

/** An id in one line, of which a long one shows its end, because ids begin alike; the whole of it is in the title. */
export function ClipId({ children }: { children: string }) {
  return (
    <span class="id-end" title={children}>
      <bdi dir="ltr">{children}</bdi>
    </span>
  );
}

/** A button for an asynchronous action: disabled while the action runs, and reports its error. */
export function ActionButton(props: {
  act: () => Promise<unknown>;
  children: ComponentChildren;
  kind?: 'primary' | 'danger';
  small?: boolean;
  /** Why the action is not available yet. */
  blocked?: string | undefined;
  onError: (error: Error | null) => void;
}) {
  const [busy, setBusy] = useState(false);
  const press = async () => {
    setBusy(true);
    props.onError(null);
    try {
      await props.act();
    } catch (error) {
      props.onError(error as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <button
      type="button"
      class={`btn ${props.kind ?? ''} ${props.small ? 'small' : ''}`}
      disabled={busy || props.blocked !== undefined}
      title={props.blocked}
      onClick={() => void press()}
    >
      {props.children}
    </button>
  );
}

export function Crumbs({ trail }: { trail: { to: string; text: string }[] }) {
  return (
    <nav class="crumbs" aria-label={t.breadcrumbs}>
      {trail.map(({ to, text }, index) => (
        <span key={to}>
          {index > 0 && <Icon name="chevronRight" small />}
          <Link to={to}>{text}</Link>
        </span>
      ))}
    </nav>
  );
}
