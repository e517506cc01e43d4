import { useEffect, useState } from 'preact/hooks';
import { limits } from '../../../src/contract/limits';
import { api, type NewBroadcast, type Subscriber } from '../api';
import { ActionButton, ConfirmDialog, Problem, TextField, toast, useForm } from '../elements';
import { number } from '../format';
import { audienceOf } from '../message/audience';
import { contentOf, isEmptyContent, type ContentDraft } from '../message/content';
import { emptyMessage, MessageForm, messageFields, useDraft } from '../message/message-form';
import { useResource, useSettled } from '../resource';
import { go } from '../router';
import { t } from '../texts';

const EMPTY = { ...emptyMessage, perMinute: '' };
const FIELDS = [...messageFields('', ''), 'messages_per_minute'];

function broadcastOf(draft: typeof EMPTY): NewBroadcast {
  return {
    ...contentOf(draft),
    ...audienceOf(draft),
    ...(draft.perMinute.trim() === '' ? {} : { messages_per_minute: Number(draft.perMinute) }),
  };
}

/** Writes a broadcast, and sends it after a look at the size of its audience. */
export function Composer() {
  const { draft, change, forget } = useDraft('broadcast', EMPTY);
  const [confirming, setConfirming] = useState<number | null>(null);
  const form = useForm(FIELDS, async () => {
    const counted = await api.broadcast({ ...broadcastOf(draft), dry_run: true });
    setConfirming(counted.total_subscribers);
  });
  return (
    <>
      <MessageForm
        trail={[{ to: '/dashboard/broadcasts', text: t.broadcasts }]}
        title={t.newBroadcast}
        form={form}
        draft={draft}
        change={change}
        path={{ content: '', audience: '' }}
        submit={t.reviewAndSend}
        after={
          <TextField
            label={t.perMinute}
            hint={t.perMinuteHint(number(limits.broadcastMessagesPerMinute))}
            error={form.problemOf('messages_per_minute')}
            class="short"
            type="number"
            min={1}
            max={limits.broadcastMessagesPerMinute}
            value={draft.perMinute}
            onInput={(perMinute) => change({ perMinute })}
          />
        }
        aside={<TestSend draft={draft} />}
      />
      {confirming !== null && (
        <ConfirmDialog
          title={t.sendBroadcastTitle(confirming)}
          text={t.sendBroadcastText}
          confirm={t.sendNow}
          dismiss={t.goBack}
          kind="primary"
          act={async () => {
            await api.broadcast(broadcastOf(draft));
            forget();
            toast(t.broadcastStarted);
            go('/dashboard/broadcasts');
          }}
          onClose={() => setConfirming(null)}
        />
      )}
    </>
  );
}

/** The first subscribers that a search finds; those of the search before stay until the next ones are there. */
function useMatches(q: string): Subscriber[] | null {
  const [last, setLast] = useState<Subscriber[] | null>(null);
  const found = useResource(async () => {
    if (q.length < 2) return null;
    return (await api.subscribers({ q, channel: '', active: 'true', tag: '', cursor: null })).data.slice(
      0,
      5,
    );
  }, q);
  useEffect(() => {
    if (found.data) setLast(found.data);
  }, [found.data]);
  return q.length < 2 ? null : (found.data ?? last);
}

/** Sends the draft to one subscriber by the same path as any message. */
function TestSend({ draft }: { draft: ContentDraft }) {
  const [name, setName] = useState('');
  const [error, setError] = useState<Error | null>(null);
  const matches = useMatches(useSettled(name.trim()));
  const send = (subscriber: Subscriber) => async () => {
    const result = await api.send({ subscriber_id: subscriber.subscriber_id, ...contentOf(draft) });
    const [detail] = result.details;
    if (detail?.status === 'failed') throw new Error(t.testFailed(t.sendReasons[detail.reason ?? 'unknown']));
    toast(t.testSent(subscriber.first_name));
  };
  return (
    <section class="panel" aria-labelledby="test-title">
      <h2 id="test-title">{t.testMessage}</h2>
      <TextField
        label={t.testRecipient}
        hint={t.testRecipientHint}
        type="search"
        value={name}
        onInput={setName}
      />
      <Problem error={error} />
      {matches?.length === 0 && <p class="hint">{t.noTestRecipient}</p>}
      <ul class="matches">
        {matches?.map((subscriber) => (
          <li key={subscriber.subscriber_id}>
            <span class="clip">
              {subscriber.first_name} {subscriber.username && `@${subscriber.username}`}
            </span>
            <ActionButton small disabled={isEmptyContent(draft)} act={send(subscriber)} onError={setError}>
              {t.sendTestMessage}
            </ActionButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
