import { api, type Message } from '../api';
import { Badge, ChannelName, Copyable, Crumbs, None, Problem, Time } from '../elements';
import { PersonLink, useSubscribers } from '../people';
import { useResource } from '../resource';
import { Heading, Link } from '../router';
import { messageState } from '../states';
import { t } from '../texts';
import { reasonText } from './send-reason';

const REFRESH_MS = 5_000;

/** One message to one subscriber: what was sent, whether it arrived, and taps on its buttons. */
export function MessagePage({ id }: { id: string }) {
  const found = useResource(() => api.message(id), id, REFRESH_MS);
  return (
    <>
      <Crumbs trail={[{ to: '/dashboard/messages', text: t.results.messages }]} />
      {found.error && !found.data && <Heading title={t.results.message} />}
      <Problem error={found.error} />
      {found.data && <Details message={found.data} />}
    </>
  );
}

/** The page of what a message comes from; null for a single message. A scheduled one has no page but the form that changes it. */
export function sourcePath({ source, source_id }: Pick<Message, 'source' | 'source_id'>): string | null {
  const section = {
    broadcast: 'broadcasts',
    batch: 'batches',
    scheduled: 'scheduled',
    recurring: 'recurring',
    drip: 'drip',
    form: 'forms',
    ticket: 'inbox',
    send: null,
    otp: null,
    bot: null,
  }[source];
  if (section === null || source_id === null) return null;
  return section === 'scheduled' ? '/dashboard/scheduled' : `/dashboard/${section}/${source_id}`;
}

function Details({ message }: { message: Message }) {
  const known = useSubscribers([message.subscriber_id]);
  const state = messageState(message);
  const path = sourcePath(message);
  const content = message.content;
  return (
    <>
      <div class="heading">
        <Heading title={t.results.message} />
        <Badge tone={state.tone}>{state.text}</Badge>
      </div>
      {message.reason && <p class="problem">{reasonText(message.reason)}</p>}
      <section class="panel" aria-label={t.details}>
        <dl class="facts">
          <dt>{t.results.person}</dt>
          <dd>
            <PersonLink id={message.subscriber_id} known={known} />
          </dd>
          <dt>{t.channel}</dt>
          <dd>
            <ChannelName channel={message.channel} />
          </dd>
          <dt>{t.results.source}</dt>
          <dd>
            {path ? (
              <Link to={path}>{t.messageSources[message.source]}</Link>
            ) : (
              t.messageSources[message.source]
            )}
          </dd>
          <dt>{t.created}</dt>
          <dd>
            <Time at={message.created_at} />
          </dd>
          {message.ended_at !== null && (
            <>
              <dt>{state.text}</dt>
              <dd>
                <Time at={message.ended_at} />
              </dd>
            </>
          )}
          <dt>{t.results.tapped}</dt>
          <dd>
            {message.clicks.length === 0 ? (
              <None />
            ) : (
              message.clicks.map(({ clicked_at }) => (
                <div key={clicked_at}>
                  <Time at={clicked_at} />
                </div>
              ))
            )}
          </dd>
          <dt>{t.results.deliveryId}</dt>
          <dd>
            <Copyable text={message.delivery_id} label={t.copyId} />
          </dd>
        </dl>
      </section>
      <section class="panel" aria-labelledby="content-title">
        <h2 id="content-title">{t.results.content}</h2>
        <p class="message-text">{content?.text ?? message.text ?? t.results.hiddenText}</p>
        {content?.media && (
          <p class="hint">
            {t.mediaTypes[content.media.type]}: <code class="clip wide">{content.media.url}</code>
          </p>
        )}
        {content && content.buttons.length > 0 && (
          <p class="chips">
            {content.buttons.flat().map((button, index) => (
              <span key={index} class="chip" title={button.url ?? button.text}>
                {button.text}
              </span>
            ))}
          </p>
        )}
      </section>
    </>
  );
}
